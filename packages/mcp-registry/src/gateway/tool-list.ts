import { isSpecType, ProtocolError, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/server';
import { isRegistryError } from '../errors.js';
import { createToolLister } from '../serving/protocol-tool.js';
import { pageOf } from '../serving/tool-pages.js';
import type { Audience } from './audiences.js';
import type { GatewayCore } from './gateway-core.js';
import { missingTools } from './missing-tools.js';
import { incompleteMeta } from './part-answer.js';

// Checked by isSpecType before it is listed, or the smallest tool that there can be.
const toProtocolTool = createToolLister(isSpecType.Tool) as (
  view: Parameters<ReturnType<typeof createToolLister>>[0],
) => Tool;

/**
 * One page of the tools that an audience may use, and which servers' tools are not known.
 *
 * @throws {ProtocolError} -32602 if the cursor is none that a page gave.
 */
export function answerTools(core: GatewayCore, audience: Audience, cursor: string | undefined) {
  try {
    const { tools, ...next } = pageOf(audience.view.list(), core.policy.serving.pageSize, cursor);
    return { tools: tools.map(toProtocolTool), ...next, ...incompleteMeta(missingTools(core, audience)) };
  } catch (error) {
    if (isRegistryError(error)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    throw error;
  }
}
