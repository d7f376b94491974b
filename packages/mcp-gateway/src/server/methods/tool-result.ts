import { isSpecType } from '@modelcontextprotocol/server';
import type { JsonSchema, ToolCallResult } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { NO_RESULT } from '../../serving/client-calls.js';
import type { Era, Fields } from './client-request.js';
import { needsWrap } from './legacy-shapes.js';

export interface ResultForm {
  readonly era: Era;
  readonly outputSchema: JsonSchema | undefined;
}

/** Changes only what the revision cannot represent. */
export function toolResult(result: ToolCallResult, { era, outputSchema }: ResultForm): Fields {
  const whole = isResult(result) ? withContent(result) : NO_RESULT;
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
