import type { Fleet } from '../../src/fleet.js';

/** Waits until a fleet has a source of that name, even a replaced one, with so many tools. */
export async function untilTools(fleet: Fleet, name: string, count: number): Promise<void> {
  let wake: () => void = () => undefined;
  let hasChanged = false;
  const onChange = () => {
    hasChanged = true;
    wake();
  };
  using _changes = fleet.events.on('sources-changed', onChange);
  for (;;) {
    hasChanged = false;
    const source = fleet.sources().find((one) => one.name === name);
    using _tools = source?.onToolsChanged?.(onChange) ?? null;
    // One that goes away while it is asked will be asked again.
    const tools = await Promise.resolve(source?.listTools({})).catch(() => []);
    if (source !== undefined && tools?.length === count) return;
    if (hasChanged) continue;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}
