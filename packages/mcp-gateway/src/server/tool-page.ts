import { isSpecType, ProtocolError, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/server';
import { isRefused } from '../errors.js';
import { createToolLister } from '../serving/protocol-tool.js';
import { pageOf } from '../serving/tool-pages.js';
import type { RegistryView } from '../views/view.js';

// Checked by isSpecType before it is listed, or the smallest tool that there can be.
const toProtocolTool = createToolLister(isSpecType.Tool) as (
  view: Parameters<ReturnType<typeof createToolLister>>[0],
) => Tool;

/**
 * One page of a view's tools, as `tools/list` answers it.
 *
 * @throws {ProtocolError} -32602 if the cursor is none that a page gave.
 */
export function answerToolPage(view: RegistryView, pageSize: number, cursor: string | undefined) {
  try {
    const { tools, ...next } = pageOf(view.list(), pageSize, cursor);
    return { tools: tools.map(toProtocolTool), ...next };
  } catch (error) {
    if (isRefused(error)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    throw error;
  }
}
