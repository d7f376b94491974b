import { ForeignText } from './foreign-text.js';

interface FactRowsProps {
  /** A label with its value. Without a value it is left out. */
  readonly rows: readonly (readonly [label: string, value: string | undefined])[];
}

/** Rows of a list of facts. */
export function FactRows({ rows }: FactRowsProps) {
  return (
    <>
      {rows.map(
        ([label, value]) =>
          value !== undefined && (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <ForeignText text={value} />
              </dd>
            </div>
          ),
      )}
    </>
  );
}
