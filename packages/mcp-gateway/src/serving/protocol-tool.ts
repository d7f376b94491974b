import type { JsonSchema } from '@x/internal/contracts';
import type { ToolView } from '@x/internal/views';

/** A tool as in `tools/list`. */
export type ListedTool = Omit<ToolView, 'server' | 'tool' | 'state' | 'keywords' | 'execution' | 'inputSchema'> & {
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
};

/**
 * Converts tools for `tools/list`. Clients validate a listing as a whole, so a tool that `isTool` rejects is listed
 * without its optional parts. It can still be called.
 */
export function createToolLister(isTool: (tool: unknown) => boolean): (view: ToolView) => ListedTool {
  const known = new WeakMap<ToolView, ListedTool>();
  return (view) => {
    const tool = known.get(view) ?? makeTool(view, isTool);
    known.set(view, tool);
    return tool;
  };
}

function makeTool(view: ToolView, isTool: (tool: unknown) => boolean): ListedTool {
  const { name, title, description, inputSchema, outputSchema, annotations, icons, _meta } = view;
  const schema = { ...inputSchema, type: 'object' as const };
  const whole = present({ name, title, description, inputSchema: schema, outputSchema, annotations, icons, _meta });
  if (isTool(whole)) return whole;
  const bare = present({ name, title, description, inputSchema: schema });
  return isTool(bare) ? bare : { name, inputSchema: { type: 'object' } };
}

function present<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}
