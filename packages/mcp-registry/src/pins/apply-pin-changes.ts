import { compareText } from '@x/internal/text';
import type { PinChange, Pins, ServerPins, ToolPin } from './pin-store.js';

/** The pins after some changes; `pins` itself if there are none. Sorted by server and tool. */
export function applyPinChanges(pins: Pins, changes: readonly PinChange[]): Pins {
  return changes.reduce(applyPinChange, pins);
}

function applyPinChange(pins: Pins, change: PinChange): Pins {
  const known = pins.find(({ server }) => server === change.server);
  if (change.type === 'first-use' && known !== undefined) return pins;
  if (change.type === 'rewrite' && known === undefined) return pins;
  const tools = toolsAfter(known?.tools ?? [], change).toSorted((left, right) => compareText(left.tool, right.tool));
  const others = pins.filter((each) => each !== known);
  const next: ServerPins = { server: change.server, tools };
  return [...others, next].sort((left, right) => compareText(left.server, right.server));
}

function toolsAfter(before: readonly ToolPin[], change: PinChange): readonly ToolPin[] {
  if (change.type === 'revoke') {
    const revoked = change.tools && new Set(change.tools);
    return revoked === undefined ? [] : before.filter(({ tool }) => !revoked.has(tool));
  }
  if (change.type === 'rewrite') {
    const byTool = new Map(change.tools.map((each) => [each.pin.tool, each]));
    return before.map((stored) => {
      const rewritten = byTool.get(stored.tool);
      return rewritten?.replaces === stored.digest ? rewritten.pin : stored;
    });
  }
  return Array.from(new Map([...before, ...change.tools].map((pin) => [pin.tool, pin])).values());
}
