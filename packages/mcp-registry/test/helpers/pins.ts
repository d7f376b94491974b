import type { ListSource } from '@x/test-servers';
import { createMemoryPinStore } from '../../src/pins/memory-pin-store.js';
import type { PinStore } from '../../src/pins/pin-store.js';
import type { Registry } from '../../src/registry.js';
import { settled } from './next-event.js';

/** Lets a source offer other tools, and waits until the registry has seen them. */
export async function offer(source: ListSource, tools: readonly unknown[]): Promise<void> {
  source.offer(tools);
  // Announced, listed, and perhaps listed again a turn later.
  for (let turn = 0; turn < 5; turn++) await settled();
}

/** Own names of the tools of sources that a view shows. */
export function shown(view: Pick<Registry, 'list'>): readonly string[] {
  return view.list().flatMap(({ server, tool }) => (server === undefined ? [] : [tool]));
}

/** What operators see: each tool with its trust. */
export async function trustOf(registry: Registry): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries((await registry.pins.list()).map(({ tool, trust }) => [tool, trust]));
}

/** A store that answers when the test says so, or fails. */
export function createSlowPinStore(): PinStore & { answer(): void; failWith(error: Error): void } {
  const kept = createMemoryPinStore();
  let waiting: (() => void)[] = [];
  let failure: Error | undefined;
  const later = <Result>(work: () => Result) =>
    new Promise<Result>((resolve, reject) => {
      const error = failure;
      if (error !== undefined) reject(error);
      else waiting.push(() => resolve(work()));
    });
  return {
    load: () => later(() => kept.load() as never),
    save: (changes) => later(() => kept.save(changes) as never),
    answer() {
      const due = waiting;
      waiting = [];
      for (const each of due) each();
    },
    failWith(error) {
      failure = error;
    },
  };
}
