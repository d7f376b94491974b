import type { ToolCallResult } from '../contracts/tool-result.js';
import type { CallToolOptions, ToolArguments } from '../contracts/tool-source.js';
import { CALL_TOOL_NAME, SEARCH_TOOL_NAME } from '../names/built-in-tools.js';
import { readCallRequest } from './call-mcp-tool.js';
import { toErrorPayload } from './error-results.js';
import { isRefusal } from './refusal.js';
import type { ToolView } from './tool-view.js';

interface CallableView {
  get(name: string): ToolView | undefined;
  call(name: string, args?: ToolArguments, options?: CallToolOptions): Promise<ToolCallResult>;
}

/** Responds to `call_mcp_tool` for a view. A mistake in the request becomes a result that the model sees. */
export async function callByName(
  view: CallableView,
  request: unknown,
  options: CallToolOptions,
): Promise<ToolCallResult> {
  const asked = readOrRefuse(request);
  if ('refused' in asked) return asked.refused;
  try {
    return await view.call(asked.name, asked.args, options);
  } catch (error) {
    // A hidden tool is unknown like any other.
    if (isUnknownTool(error) && view.get(SEARCH_TOOL_NAME) === undefined) return view.call(CALL_TOOL_NAME);
    if (isMistake(error)) return toErrorPayload(error);
    throw error;
  }
}

function readOrRefuse(request: unknown): ReturnType<typeof readCallRequest> | { readonly refused: ToolCallResult } {
  try {
    return readCallRequest(request);
  } catch (error) {
    return { refused: toErrorPayload(error) };
  }
}

function isUnknownTool(error: unknown): boolean {
  return isRefusal(error) && error.code === 'unknown-tool';
}

function isMistake(error: unknown): boolean {
  return isRefusal(error) && (error.code === 'unknown-tool' || error.code === 'invalid-arguments');
}
