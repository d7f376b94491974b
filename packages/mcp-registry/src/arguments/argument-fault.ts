/** One thing that is wrong with the arguments of a call. Says nothing of the values that were given but their type. */
export interface ArgumentFault {
  /** JSON Pointer into the arguments; empty for the arguments as a whole. */
  readonly path: string;
  /** What is wrong there, to be read after the path: `is missing`. */
  readonly message: string;
  /** What would be right there, in short: `"r" | "w"`, `integer (1 to 100)`, `{ path: string, limit?: integer }`. */
  readonly expected: string;
  /** What was probably meant: the schema's name or value nearest to it, or the argument that a missing one may hide behind. */
  readonly closest?: string | undefined;
}

/** A fault as it is found. Most are never told, so what would be right is only worked out at the end. */
export interface KeywordFault extends Pick<ArgumentFault, 'path' | 'message'> {
  /** What found it, by which the alternatives of a schema are told apart. */
  readonly keyword: string;
  readonly expected: Expected;
  readonly guess?: Guess | undefined;
}

/** What was written, and what may have been meant by it. */
export interface Guess {
  readonly wanted: string;
  readonly among: () => readonly string[];
}

/** A text, or what makes it, or the schema that is to be said in short. */
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

/** `none` for what JSON has not, such as a function. */
export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'object' || type === 'string' || type === 'number' || type === 'boolean' ? type : 'none';
}

/** A type as a sentence names it: `a string`, `an array`. */
export function withArticle(type: string): string {
  if (type === 'null') return type;
  if (type === 'none') return 'a value that JSON does not have';
  return `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`;
}
