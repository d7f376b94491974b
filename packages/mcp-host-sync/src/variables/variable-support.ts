/**
 * Syntax of environment variables in a host's file.
 *
 * | syntax | spelling |
 * | --- | --- |
 * | `brace` | `${NAME}` |
 * | `brace-or-env` | `${NAME}`; also `$env:NAME` if it is the whole text |
 * | `env-prefix` | `${env:NAME}` |
 * | `single-brace` | `{env:NAME}` |
 * | `shell` | `${NAME}`; also reads `$NAME` |
 * | `secrets` | `${{ secrets.NAME }}` |
 */
export type VariableSyntax = 'brace' | 'brace-or-env' | 'env-prefix' | 'single-brace' | 'shell' | 'secrets';

export type EntryField = 'command' | 'args' | 'env' | 'cwd' | 'url' | 'headers';

/** Variables that a host replaces when it reads an entry. */
export interface VariableSupport {
  /** Missing: texts are literal. */
  readonly syntax?: VariableSyntax;
  /** The host supports `${NAME:-default}`. */
  readonly defaults?: true;
  /** Fields with replacement. Default: all. */
  readonly fields?: readonly EntryField[];
  /** Not confirmed: read, never written; similar literals are rejected. */
  readonly unverified?: true;
  /** The host has no known syntax for a literal `$`. */
  readonly noLiteralDollar?: true;
}

/** True if the host replaces variables in this field. */
export function expands(support: VariableSupport, field: EntryField): support is VariableSupport & Expanding {
  return support.syntax !== undefined && (support.fields?.includes(field) ?? true);
}

interface Expanding {
  readonly syntax: VariableSyntax;
}
