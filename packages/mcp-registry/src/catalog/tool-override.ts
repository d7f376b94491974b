import type { ToolOverride } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';

/** The valid parts of the override of a tool. A `hidden` that is neither true nor false hides. */
export function overrideOf(overrides: unknown, tool: string): ToolOverride | undefined {
  const given = isRecord(overrides) && Object.hasOwn(overrides, tool) ? overrides[tool] : undefined;
  if (!isRecord(given)) return undefined;
  const { title, description, hidden = false } = given;
  return { title: textIn(title), description: textIn(description), hidden: hidden !== false };
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value ? value : undefined;
}
