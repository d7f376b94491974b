import { isRecord } from '@x/internal/json';
import { useState } from 'preact/hooks';
import { ForeignText } from './foreign-text.js';

/** Members that are shown at once. */
const pageSize = 100;
/** Objects with more members begin closed below the first level. */
const fewMembers = 20;

/** A JSON value that opens and closes. Closed parts cost nothing. */
export function JsonTree({ value, label }: { readonly value: unknown; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section would be a landmark.
    <div class="json-tree" role="group" aria-label={label}>
      <Node value={value} depth={0} />
    </div>
  );
}

interface NodeProps {
  readonly name?: string | undefined;
  readonly value: unknown;
  readonly depth: number;
}

function Node({ name, value, depth }: NodeProps) {
  const entries = Array.isArray(value)
    ? value.map((each, index) => [String(index), each] as const)
    : isRecord(value)
      ? Object.entries(value)
      : undefined;
  const [isOpen, setOpen] = useState(depth === 0 || (depth < 3 && (entries?.length ?? 0) <= fewMembers));
  const [shown, setShown] = useState(pageSize);
  if (!entries) {
    return (
      <div class="leaf">
        <Key name={name} />
        <span class={`json-${value === null ? 'null' : typeof value}`}>
          <ForeignText text={JSON.stringify(value) ?? 'null'} links maxLength={50_000} />
        </span>
      </div>
    );
  }
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Key name={name} />
        <span class="note">{Array.isArray(value) ? `[ ${entries.length} ]` : `{ ${entries.length} }`}</span>
      </summary>
      {isOpen &&
        entries.slice(0, shown).map(([key, each]) => <Node key={key} name={key} value={each} depth={depth + 1} />)}
      {isOpen && entries.length > shown && (
        <button type="button" class="small" onClick={() => setShown(shown + pageSize)}>
          {entries.length - shown} more
        </button>
      )}
    </details>
  );
}

function Key({ name }: Pick<NodeProps, 'name'>) {
  if (name === undefined) return null;
  return (
    <span class="json-key">
      <ForeignText text={name} maxLength={500} />
      {': '}
    </span>
  );
}
