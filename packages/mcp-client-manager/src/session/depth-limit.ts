import { resultTooLargeCode } from '../transport/oversized-message.js';

/**
 * Levels of objects and arrays in one another that a result, an error or a question may have. `JSON.stringify` and most code
 * that walks a value end in a stack overflow a few thousand levels down, in whoever passes it on. Entries of lists have a limit
 * of their own, which leaves out the one and keeps the others.
 */
const maxLevels = 1_000;

/** Goes no deeper than the limit itself. */
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

/** `undefined` for what was read as JSON and is nested too deep, or has too many digits, to be written again. */
export function writtenJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** What stands in for an answer that is nested too deep, so that its one request fails. */
export function tooDeepError(): { readonly code: number; readonly message: string } {
  return {
    code: resultTooLargeCode,
    message: `The answer is nested more than ${maxLevels} levels deep, which is the limit.`,
  };
}
