import type { EventSource } from '@x/internal/contracts';
import { compareText } from '@x/internal/text';
import type { Lifetime } from './catalog/lifetime.js';
import type { RegistryEvents, ToolsChange } from './events.js';

/** Number of separately queued changes; later ones are merged. */
const MAX_KEPT = 100;

/** Options of `changes()`. */
export interface ChangesOptions {
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Iterates over `tools-changed` events from this call on. A slow reader gets later changes merged into one. Ends on
 * abort, with the loop, or after queued changes when the registry closes.
 */
export function iterateChanges(
  events: EventSource<RegistryEvents>,
  { signal, lifetime }: ChangesOptions & { readonly lifetime: Lifetime },
): AsyncIterableIterator<ToolsChange> {
  const kept: ToolsChange[] = [];
  const backlog = new ChangeBacklog();
  const waiting: ((result: IteratorResult<ToolsChange>) => void)[] = [];
  let isOver = false;

  const subscription = events.on('tools-changed', (change) => {
    const resolve = waiting.shift();
    if (resolve !== undefined) resolve({ done: false, value: change });
    else if (backlog.isEmpty && kept.length < MAX_KEPT) kept.push(change);
    else backlog.add(change);
  });
  const end = () => {
    isOver = true;
    subscription[Symbol.dispose]();
    lifetime.removeListener(listener);
    signal?.removeEventListener('abort', endNow);
    for (const resolve of waiting.splice(0)) resolve({ done: true, value: undefined });
  };
  const endNow = () => {
    kept.length = 0;
    backlog.drain();
    end();
  };

  const listener = { lifetimeOver: end };
  lifetime.addListener(listener);
  signal?.addEventListener('abort', endNow);
  if (signal?.aborted) endNow();
  else if (lifetime.isOver) end();

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      const value = kept.shift() ?? backlog.drain();
      if (value !== undefined) return Promise.resolve({ done: false, value });
      if (isOver) return Promise.resolve({ done: true, value: undefined });
      return new Promise((resolve) => waiting.push(resolve));
    },
    return() {
      endNow();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
}

/** Merges changes. Its size is bounded by the number of tools. */
export class ChangeBacklog {
  readonly #outcomes = new Map<string, 'added' | 'removed' | 'changed'>();
  #revision = 0;

  get isEmpty(): boolean {
    return this.#outcomes.size === 0;
  }

  add({ revision, added, removed, changed }: ToolsChange): void {
    this.#revision = revision;
    const outcomes = this.#outcomes;
    for (const name of added) outcomes.set(name, outcomes.get(name) === 'removed' ? 'changed' : 'added');
    for (const name of changed) if (outcomes.get(name) !== 'added') outcomes.set(name, 'changed');
    for (const name of removed) {
      if (outcomes.get(name) === 'added') outcomes.delete(name);
      else outcomes.set(name, 'removed');
    }
  }

  /** Removes and returns the merged change; `undefined` if none is left. */
  drain(): ToolsChange | undefined {
    if (this.isEmpty) return undefined;
    const named = Array.from(this.#outcomes).sort(([left], [right]) => compareText(left, right));
    const of = (wanted: string) => named.flatMap(([name, outcome]) => (outcome === wanted ? [name] : []));
    this.#outcomes.clear();
    const [added, removed, changed] = [of('added'), of('removed'), of('changed')];
    return Object.freeze({ revision: this.#revision, added, removed, changed });
  }
}
