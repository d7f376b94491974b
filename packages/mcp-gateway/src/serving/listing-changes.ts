import { isSameJson } from '@x/internal/json';
import { peekTools, type ToolView } from '@x/internal/views';
import type { RegistryView } from '../views/view.js';

/**
 * Calls `onChange` when the result of `tools/list` has changed. A server that starts or stops with the same tools
 * changes nothing.
 */
export function watchListing(view: RegistryView, onChange: () => void): Disposable {
  let listed = peekTools(view);
  return view.events.on('tools-changed', () => {
    const before = listed;
    listed = peekTools(view);
    if (!isSameListing(before, listed)) onChange();
  });
}

export function isSameListing(before: readonly ToolView[], after: readonly ToolView[]): boolean {
  return (
    before === after || (before.length === after.length && before.every((tool, index) => isSame(tool, after[index])))
  );
}

/** Unchanged views are the same object, so few pairs are compared. */
function isSame(before: ToolView, after: ToolView | undefined): boolean {
  return before === after || isSameJson(withoutState(before), withoutState(after));
}

function withoutState(tool: ToolView | undefined): Partial<ToolView> | undefined {
  if (tool === undefined) return undefined;
  const { state: _, ...rest } = tool;
  return rest;
}
