import { isDeeperThan } from '@x/internal/json';

/**
 * Objects and lists within one another in a definition, at the most. Whoever writes all tools as JSON cannot write any of
 * them when one is some thousand levels deep, whichever node that one is of.
 */
export const MAX_LEVELS = 500;

/** Whether a text's value has more levels than that. */
export function isTooDeep(text: string, value: unknown): boolean {
  return text.length > 2 * MAX_LEVELS && isDeeperThan(MAX_LEVELS, value);
}
