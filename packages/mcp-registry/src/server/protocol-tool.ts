import { isSpecType, type Tool } from '@modelcontextprotocol/server';
import type { ToolView } from '../catalog/tool-view.js';

const known = new WeakMap<ToolView, Tool>();

/** A tool as `tools/list` shows it: what the source sent, under the public name. */
export function toProtocolTool(view: ToolView): Tool {
  const tool = known.get(view) ?? makeTool(view);
  known.set(view, tool);
  return tool;
}

/**
 * Clients check a listing as a whole, so one tool with an odd annotation would cost them all tools. Such a tool is
 * listed without its optional parts: it can be called all the same.
 */
function makeTool({ name, title, description, inputSchema, outputSchema, annotations, icons, _meta }: ToolView): Tool {
  // The protocol wants the type said; a schema that leaves it out was taken to mean an object.
  const schema = { ...inputSchema, type: 'object' as const };
  const whole: unknown = { name, title, description, inputSchema: schema, outputSchema, annotations, icons, _meta };
  if (isSpecType.Tool(whole)) return whole;
  const bare: unknown = { name, title, description, inputSchema: schema };
  return isSpecType.Tool(bare) ? bare : { name, inputSchema: { type: 'object' } };
}
