import type { ToolCallResult } from '../contracts.js';
import { messageOf } from '../errors.js';

export function toErrorResult(error: unknown): ToolCallResult {
  const text = messageOf(error) || String(error);
  return { content: [{ type: 'text', text }], isError: true };
}
