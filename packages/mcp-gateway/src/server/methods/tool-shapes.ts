import { isSpecType } from '@modelcontextprotocol/server';
import type { JsonSchema, ToolCallResult } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { movedSchema } from '@x/internal/json-schema';
import type { ToolView } from '@x/internal/views';
import { isRefused } from '../../errors.js';
import type { RegistryView } from '../../registry.js';
import { INVALID_RESULT } from '../../serving/client-calls.js';
import { createToolLister, type ListedTool, pageOf } from '../../serving/tool-listing.js';
import type { Era, Fields } from './client-request.js';
import { wrongParams } from './results.js';

const toListedTool = createToolLister(isSpecType.Tool);
const wrapped = new WeakMap<ListedTool, ListedTool>();

interface ToolPageRequest {
  readonly pageSize: number;
  readonly cursor: string | undefined;
  readonly era: Era;
}

/** @throws {ProtocolError} -32602 for an unknown cursor. */
export function toolPage(view: RegistryView, { pageSize, cursor, era }: ToolPageRequest) {
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

export interface ResultForm {
  readonly era: Era;
  readonly outputSchema: JsonSchema | undefined;
}

/** Changes only what the revision cannot represent. */
export function toolResult(result: ToolCallResult, { era, outputSchema }: ResultForm): Fields {
  const whole = isResult(result) ? withContent(result) : INVALID_RESULT;
  const { structuredContent } = whole;
  if (structuredContent === undefined) return whole as unknown as Fields;
  const isObject = isRecord(structuredContent);
  const told = isObject ? whole : withText(whole);
  return era === 'legacy' && (!isObject || needsWrap(outputSchema))
    ? { ...told, structuredContent: { result: structuredContent } }
    : (told as unknown as Fields);
}

function withContent(result: ToolCallResult): ToolCallResult {
  return result.content === undefined ? { ...result, content: [] } : result;
}

/** Some clients ignore structured content. */
function withText(result: ToolCallResult): ToolCallResult {
  const { content = [], structuredContent } = result;
  if (content.some(({ type }) => type === 'text')) return result;
  return { ...result, content: [...content, { type: 'text', text: JSON.stringify(structuredContent) }] };
}

/** Results with texts only, which are most, skip the schema. */
function isResult(result: unknown): boolean {
  if (!isRecord(result)) return false;
  const { content, isError, _meta: meta } = result;
  const isPlain =
    Array.isArray(content) &&
    content.every(isPlainText) &&
    (isError === undefined || typeof isError === 'boolean') &&
    meta === undefined;
  return isPlain || isSpecType.CallToolResult(result);
}

function isPlainText(block: unknown): boolean {
  return isRecord(block) && block.type === 'text' && typeof block.text === 'string' && Object.keys(block).length === 2;
}

/** Structured results before revision 2026-07-28 are objects, so others must be wrapped. */
export function needsWrap(outputSchema: Fields | undefined): boolean {
  return outputSchema !== undefined && outputSchema.type !== 'object';
}

export function wrappedSchema(schema: Fields): Fields {
  const { $schema } = schema;
  return {
    ...(typeof $schema === 'string' && { $schema }),
    type: 'object',
    properties: { result: movedSchema(schema, '#/properties/result') },
    required: ['result'],
  };
}
