import type { ToolView } from './tool-view.js';

/** Key of a view's list without an audit event. A global symbol, because two bundles read it of one view. */
export const PEEK: unique symbol = Symbol.for('@x/mcp-registry.peek');

export interface Peekable {
  [PEEK](): readonly ToolView[];
}

interface Listing {
  list(): readonly ToolView[];
}

export function peekTools(view: Listing): readonly ToolView[] {
  return PEEK in view ? (view as Peekable)[PEEK]() : view.list();
}

const byName = new WeakMap<readonly ToolView[], ReadonlyMap<string, ToolView>>();

export function peekTool(view: Listing, name: string): ToolView | undefined {
  const tools = peekTools(view);
  const known = byName.get(tools) ?? new Map(tools.map((tool) => [tool.name, tool]));
  byName.set(tools, known);
  return known.get(name);
}
