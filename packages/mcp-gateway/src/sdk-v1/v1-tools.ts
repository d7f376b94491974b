import { CallToolResultSchema, ToolSchema } from '@modelcontextprotocol/sdk/types.js';
import type { ToolCallResult } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import type { ToolView } from '@x/internal/views';
import { NO_RESULT } from '../serving/client-calls.js';
import { createToolLister } from '../serving/tool-listing.js';

const toListedTool = createToolLister(
  (tool) => isRecord(tool) && ToolSchema.safeParse(hasObjectOutput(tool) ? tool : withoutOutput(tool)).success,
);

export function toV1Tool(view: ToolView): unknown {
  const tool = toListedTool(view);
  return hasObjectOutput(tool) ? tool : withoutOutput(tool);
}

/** Revisions of 1.x allow only objects. */
function hasObjectOutput({ outputSchema }: { readonly outputSchema?: unknown }): boolean {
  return isRecord(outputSchema) && outputSchema.type === 'object';
}

function withoutOutput({ outputSchema: _, ...tool }: { readonly outputSchema?: unknown }): unknown {
  return tool;
}

export function toV1Result({ structuredContent, ...result }: ToolCallResult): unknown {
  const content = result.content ?? [];
  const whole = isRecord(structuredContent) ? { ...result, content, structuredContent } : { ...result, content };
  if (!CallToolResultSchema.safeParse(whole).success) return NO_RESULT;
  if (structuredContent === undefined || isRecord(structuredContent) || content.some(({ type }) => type === 'text')) {
    return whole;
  }
  return { ...whole, content: [...content, { type: 'text', text: JSON.stringify(structuredContent) }] };
}
