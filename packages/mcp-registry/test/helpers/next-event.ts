import type { ToolsChange } from '../../src/events.js';
import type { RegistryView } from '../../src/views/view.js';

/** The next swap of a view. Call it before the action that causes the swap. */
export function nextChange(view: RegistryView): Promise<ToolsChange> {
  return new Promise((resolve) => {
    const subscription = view.events.on('tools-changed', (change) => {
      subscription[Symbol.dispose]();
      resolve(change);
    });
  });
}

/** Everything is over that needs no timer and no I/O, such as a listing that is answered at once. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
