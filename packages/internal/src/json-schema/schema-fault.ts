/** One violation of a schema. Contains no part of the checked value except its type. */
export interface SchemaFault {
  /** JSON Pointer into the value; empty for the value as a whole. */
  readonly path: string;
  /** The violation, as a sentence after the path: `is missing`. */
  readonly message: string;
  /** A short form of the schema there: `"r" | "w"`, `integer (1 to 100)`, `{ path: string, limit?: integer }`. */
  readonly expected: string;
  /**
   * The nearest name or value of the schema. For a missing member: the member of the value that may be its
   * misspelling.
   */
  readonly closest?: string | undefined;
}

/** A violation as a keyword reports it. `expected` and `guess` are computed for shown ones only. */
export interface KeywordFault extends Pick<SchemaFault, 'path' | 'message'> {
  /** Ranks the alternatives of `anyOf` and `oneOf`. */
  readonly keyword: string;
  readonly expected: Expected;
  readonly guess?: Guess | undefined;
}

export interface Guess {
  readonly wanted: string;
  readonly among: () => readonly string[];
}

export type Expected = string | (() => string) | { readonly shape: unknown };

const MAX_PATH_LENGTH = 300;

/** @see https://www.rfc-editor.org/rfc/rfc6901 */
export function toPointer(path: readonly (string | number)[]): string {
  const pointer = path
    .map((part) => `/${String(part).slice(0, MAX_PATH_LENGTH).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
  return pointer.length > MAX_PATH_LENGTH ? `${pointer.slice(0, MAX_PATH_LENGTH)}…` : pointer;
}

export type JsonType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object' | 'none';

/** `none` for values that JSON lacks, such as a function. */
export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'object' || type === 'string' || type === 'number' || type === 'boolean' ? type : 'none';
}

/** `a string`, `an array`. */
export function withArticle(type: string): string {
  if (type === 'null') return type;
  if (type === 'none') return 'a value that JSON does not have';
  return `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`;
}
