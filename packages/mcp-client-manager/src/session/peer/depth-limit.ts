import { resultTooLargeCode } from '../../transport/oversized-message.js';

/**
 * `JSON.stringify` and most walks overflow the stack at a few thousand levels. Entries of lists have their own limit,
 * which drops only the entry.
 */
const maxLevels = 1_000;

export function isTooDeep(value: unknown, levels = maxLevels): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const part of value) if (isTooDeep(part, levels - 1)) return true;
    return false;
  }
  const parts = value as Readonly<Record<string, unknown>>;
  for (const key in parts) if (isTooDeep(parts[key], levels - 1)) return true;
  return false;
}

/** `undefined` for values that are nested too deep, or whose numbers are too long. */
export function writtenJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

export function tooDeepError(): { readonly code: number; readonly message: string } {
  return {
    code: resultTooLargeCode,
    message: `The response is nested more than ${maxLevels} levels deep, which is the limit.`,
  };
}
