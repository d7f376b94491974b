import type { EventSource } from '@x/internal/contracts';
import type { Lifetime } from './catalog/lifetime.js';
import { ChangeBacklog } from './change-backlog.js';
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
    lifetime.leave(listener);
    signal?.removeEventListener('abort', endNow);
    for (const resolve of waiting.splice(0)) resolve({ done: true, value: undefined });
  };
  const endNow = () => {
    kept.length = 0;
    backlog.take();
    end();
  };

  const listener = { lifetimeOver: end };
  lifetime.join(listener);
  signal?.addEventListener('abort', endNow);
  if (signal?.aborted) endNow();
  else if (lifetime.isOver) end();

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      const value = kept.shift() ?? backlog.take();
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
