import type { ToolCallResult } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';

export function toToolCallResult(value: unknown): ToolCallResult {
  if (isToolCallResult(value)) return value;
  if (value === undefined) return { content: [] };
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };

  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`A tool's result must be JSON, got a ${typeof value}`);
  const content = [{ type: 'text', text }];
  // Parsed again, so that both agree for any `toJSON`.
  return isRecord(value) ? { content, structuredContent: JSON.parse(text) } : { content };
}

export function isToolCallResult(value: unknown): value is ToolCallResult {
  return isRecord(value) && Array.isArray(value.content) && value.content.every(isContentBlock);
}

/** True if the call continues as a task, of revision 2025-11-25 or of the later extension. */
export function isTaskResult(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { resultType, task, content } = value;
  return resultType === 'task' || (isRecord(task) && (content === undefined || isEmptyList(content)));
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isContentBlock(value: unknown): boolean {
  return isRecord(value) && typeof value.type === 'string';
}
