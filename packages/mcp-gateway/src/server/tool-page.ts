import { isSpecType } from '@modelcontextprotocol/server';
import type { ToolView } from '@x/internal/views';
import { isRefused } from '../errors.js';
import type { RegistryView } from '../registry.js';
import { createToolLister, type ListedTool, pageOf } from '../serving/tool-listing.js';
import type { Era } from './methods/client-request.js';
import { needsWrap, wrappedSchema } from './methods/legacy-shapes.js';
import { wrongParams } from './methods/rpc-errors.js';

const toListedTool = createToolLister(isSpecType.Tool);
const wrapped = new WeakMap<ListedTool, ListedTool>();

interface ToolPageRequest {
  readonly pageSize: number;
  readonly cursor: string | undefined;
  readonly era: Era;
}

/** @throws {ProtocolError} -32602 for an unknown cursor. */
export function answerToolPage(view: RegistryView, { pageSize, cursor, era }: ToolPageRequest) {
  try {
    const { tools, ...next } = pageOf(view.list(), pageSize, cursor);
    return { tools: tools.map(era === 'modern' ? toListedTool : toLegacyTool), ...next };
  } catch (error) {
    if (isRefused(error)) throw wrongParams(error.message);
    throw error;
  }
}

function toLegacyTool(view: ToolView): ListedTool {
  const tool = toListedTool(view);
  const { outputSchema } = tool;
  if (outputSchema === undefined || !needsWrap(outputSchema)) return tool;
  const known = wrapped.get(tool) ?? { ...tool, outputSchema: wrappedSchema(outputSchema) };
  wrapped.set(tool, known);
  return known;
}
