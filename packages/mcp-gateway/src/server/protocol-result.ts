import { type CallToolResult, isSpecType } from '@modelcontextprotocol/server';
import type { ToolCallResult } from '@x/internal/contracts';
import { NO_RESULT } from '../serving/call-for-client.js';

/** What the protocol takes for a result of a tool, or else what the model is told of a tool that gave none. */
export function toProtocolResult(result: ToolCallResult): CallToolResult {
  if (isSpecType.CallToolResult(result)) return { ...result, content: result.content ?? [] };
  return toProtocolResult(NO_RESULT);
}
