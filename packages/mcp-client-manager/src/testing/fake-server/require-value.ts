import { longestTimerMs } from '@x/internal/options';

/** A misspelt key would silently leave a well-behaved server. */
export function requireKeys(path: string, value: unknown, known: readonly string[]): asserts value is object {
  requireObject(path, value);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new TypeError(`${path} has no "${unknown}"; it may have ${known.join(', ')}`);
}

export function requireObject(path: string, value: unknown): asserts value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(path, 'an object', value);
}

export function requireList(path: string, value: unknown): asserts value is readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(path, 'a list', value);
}

export function requireText(path: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') throw invalid(path, 'a string', value);
}

export function requireWord(path: string, value: unknown, words: readonly string[]): void {
  if (typeof value === 'string' && words.includes(value)) return;
  throw invalid(path, `one of ${words.map((word) => `"${word}"`).join(', ')}`, value);
}

export function requireWhole(
  path: string,
  value: unknown,
  { min = 0, max = longestTimerMs }: { readonly min?: number; readonly max?: number } = {},
): void {
  if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return;
  throw invalid(path, `a whole number from ${min} to ${max}`, value);
}

export function invalid(path: string, expected: string, value: unknown): TypeError {
  return new TypeError(`${path} must be ${expected}, got ${JSON.stringify(value)}`);
}
