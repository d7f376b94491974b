/**
 * How a host spells a variable of the environment.
 *
 * | syntax | spelling |
 * | --- | --- |
 * | `brace` | `${NAME}` |
 * | `brace-or-env` | `${NAME}`, and `$env:NAME` is read where it is the whole text |
 * | `env-prefix` | `${env:NAME}` |
 * | `single-brace` | `{env:NAME}` |
 * | `shell` | `${NAME}`, and `$NAME` is read as well |
 * | `secrets` | `${{ secrets.NAME }}` |
 */
export type VariableSyntax = 'brace' | 'brace-or-env' | 'env-prefix' | 'single-brace' | 'shell' | 'secrets';

export type EntryField = 'command' | 'args' | 'env' | 'cwd' | 'url' | 'headers';

/** What a host replaces when it reads an entry. */
export interface VariableSupport {
  /** Missing: every text is taken literally. */
  readonly syntax?: VariableSyntax;
  /** The host knows `${NAME:-default}`. */
  readonly defaults?: true;
  /** Only in these fields. Default: everywhere. */
  readonly fields?: readonly EntryField[];
  /** Nobody confirmed it: understood when read, never written, and no literal that looks like it either. */
  readonly unverified?: true;
  /** Any `$` is special to the host, and there is no known way to write a literal one. */
  readonly noLiteralDollar?: true;
}

/** Whether the host replaces variables in this field. */
export function expands(support: VariableSupport, field: EntryField): support is VariableSupport & Expanding {
  return support.syntax !== undefined && (support.fields?.includes(field) ?? true);
}

interface Expanding {
  readonly syntax: VariableSyntax;
}
