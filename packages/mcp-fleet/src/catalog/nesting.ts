import { isDeeperThan } from '@x/internal/json';

/**
 * Levels of nesting in a definition. Thousands of levels in one tool would break `JSON.stringify` for all tools of all
 * nodes.
 */
export const MAX_LEVELS = 500;

export function isTooDeep(text: string, value: unknown): boolean {
  return text.length > 2 * MAX_LEVELS && isDeeperThan(MAX_LEVELS, value);
}
