import { isSameJson } from '../catalog/json-copy.js';
import type { ToolView } from '../catalog/tool-view.js';
import type { RegistryView } from '../view.js';

/**
 * Calls `onChange` when `tools/list` would answer differently. A server's state is no part of that answer, so a server
 * that starts or stops with the same tools does not make every client list again.
 */
export function watchListing(view: RegistryView, onChange: () => void): Disposable {
  let listed = collect(view);
  return view.events.on('tools-changed', ({ added, removed, changed }) => {
    const before = listed;
    listed = collect(view);
    const isSame = (name: string) => isSameJson(withoutState(before.get(name)), withoutState(listed.get(name)));
    if (added.length + removed.length > 0 || !changed.every(isSame)) onChange();
  });
}

function collect(view: RegistryView): ReadonlyMap<string, ToolView> {
  return new Map(view.list().map((tool) => [tool.name, tool]));
}

function withoutState(tool: ToolView | undefined): Partial<ToolView> | undefined {
  if (tool === undefined) return undefined;
  const { state: _, ...rest } = tool;
  return rest;
}
