import { isRecord } from './json-values.js';

export interface JsonLimits {
  /** Default 100 levels. */
  readonly maxDepth?: number;
  /** Objects, arrays, strings and all other values together. Default 100 000. */
  readonly maxValues?: number;
  /** Of all strings and keys together. Default 1 048 576. */
  readonly maxCharacters?: number;
}

export class JsonCopyError extends Error {
  override readonly name = 'JsonCopyError';
  /** True for valid JSON that exceeds a limit. */
  readonly isTooLarge: boolean;

  constructor(message: string, { isTooLarge, ...options }: ErrorOptions & { readonly isTooLarge: boolean }) {
    super(message, options);
    this.isTooLarge = isTooLarge;
  }
}

/**
 * A deeply frozen copy of a JSON value, of bounded depth. Reads each property once.
 *
 * @throws {JsonCopyError} The value exceeds a limit, is not JSON, or throws when it is read.
 */
export function copyJson(value: unknown, limits: JsonLimits = {}): unknown {
  return measureCopy(value, limits).copy;
}

interface MeasuredCopy {
  readonly copy: unknown;
  /** Rough use of memory: characters of all strings and keys, and 8 for each value. */
  readonly size: number;
  /** True if it contains the key `watchFor`, at any depth. */
  readonly hasWatched: boolean;
}

export function measureCopy(
  value: unknown,
  { maxDepth = 100, maxValues = 100_000, maxCharacters = 2 ** 20 }: JsonLimits = {},
  watchFor?: string,
): MeasuredCopy {
  let [valuesLeft, charactersLeft, hasWatched] = [maxValues, maxCharacters, false];

  function copy(current: unknown, depth: number): unknown {
    if (depth > maxDepth) throw tooLarge(`nests deeper than ${maxDepth} levels`);
    if (valuesLeft-- <= 0) throw tooLarge(`has more than ${maxValues} values`);
    if (typeof current === 'string') return spend(current);
    if (Array.isArray(current)) return copyList(current, depth + 1);
    if (isRecord(current)) return copyRecord(current, depth + 1);
    if (typeof current === 'bigint') throw new JsonCopyError('contains a bigint', { isTooLarge: false });
    if (typeof current === 'number' && !Number.isFinite(current)) return null; // as JSON.stringify does
    return typeof current === 'number' || typeof current === 'boolean' ? current : null;
  }

  function copyList(list: readonly unknown[], depth: number): unknown {
    // An array of gaps may have any length.
    if (list.length > valuesLeft) throw tooLarge(`has more than ${maxValues} values`);
    return Object.freeze(Array.from({ length: list.length }, (_, index) => copy(list[index], depth)));
  }

  function copyRecord(record: Readonly<Record<string, unknown>>, depth: number): unknown {
    const entries: [string, unknown][] = [];
    for (const [key, item] of Object.entries(record)) {
      if (key === watchFor) hasWatched = true;
      if (item !== undefined) entries.push([spend(key), copy(item, depth)]);
    }
    // `fromEntries` keeps `__proto__` an ordinary key.
    return Object.freeze(Object.fromEntries(entries));
  }

  function spend(text: string): string {
    charactersLeft -= text.length;
    if (charactersLeft < 0) throw tooLarge(`has more than ${maxCharacters} characters`);
    return text;
  }

  try {
    const made = copy(value, 0);
    const size = maxCharacters - charactersLeft + 8 * (maxValues - valuesLeft);
    return { copy: made, size, hasWatched };
  } catch (cause) {
    if (cause instanceof JsonCopyError) throw cause;
    // A getter or a proxy may throw.
    throw new JsonCopyError('cannot be read', { isTooLarge: false, cause });
  }
}

function tooLarge(message: string): JsonCopyError {
  return new JsonCopyError(message, { isTooLarge: true });
}
