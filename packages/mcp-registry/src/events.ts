import type { AuditFailure } from './audit/audit-recorder.js';
import type { RankerFailure } from './search/ranker.js';

/** What is told, by the name of the event. */
export interface RegistryEvents {
  /** The tools are no longer what they were. Told once per swap, when reads already show the new tools. */
  'tools-changed': ToolsChange;
  /**
   * Other rules or another trust hold now, so resources and prompts that were allowed may be so no more, and the other way round; what that
   * means for tools is in `tools-changed`. A view is told only if its own rules are others.
   */
  'access-changed': AccessChange;
  /** A ranker did not help a search, which went on without it. Told by the registry itself, not by views of roles. */
  'ranker-failed': RankerFailure;
  /** The audit sink threw. Told at the first loss, the tenth, the hundredth and so on, by the registry itself alone. */
  'audit-failed': AuditFailure;
}

/** What has become different. Ask the policy again. */
export interface AccessChange {
  /** The server of which everything but its tools is held back from now on, or no longer. Left out: other rules hold. */
  readonly server?: string | undefined;
}

/** What one swap changed, as public names in stable order. At least one of the lists has an entry. */
export interface ToolsChange {
  /** The revision that reads answer from now on. */
  readonly revision: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Tools that now read differently in any way; their source's `state` counts too. */
  readonly changed: readonly string[];
}

/** Where listeners subscribe. */
export interface EventSource<Events> {
  /** Calls `listener` after each event until the returned object is disposed or the registry closes. */
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): Disposable;
}

/**
 * A list of listeners for each event name. Listeners may come and go while one is called, and what one of them
 * emits waits its turn, so that all see the events in one order.
 */
export class Emitter<Events> implements EventSource<Events> {
  readonly #listeners = new Map<keyof Events, Set<{ readonly call: (event: never) => void }>>();
  readonly #report: (error: unknown) => void;
  readonly #queue: (() => void)[] = [];

  /** @param report - Told what a listener threw. Default: rethrown outside of the emit, as an `EventTarget` does. */
  constructor(report: (error: unknown) => void = rethrowLater) {
    this.#report = report;
  }

  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): Disposable {
    const subscription = { call: listener };
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(subscription));
    return { [Symbol.dispose]: () => void listeners.delete(subscription) };
  }

  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    this.#queue.push(() => this.#deliver(name, event));
    if (this.#queue.length > 1) return;
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      next();
      this.#queue.shift();
    }
  }

  clear(): void {
    for (const listeners of this.#listeners.values()) listeners.clear();
  }

  #deliver<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    const listeners = this.#listeners.get(name);
    for (const subscription of Array.from(listeners ?? [])) {
      if (!listeners?.has(subscription)) continue;
      try {
        subscription.call(event as never);
      } catch (error) {
        this.#report(error);
      }
    }
  }
}

/** Makes an error that is nobody's to catch an uncaught one, without stopping the code that met it. */
export function rethrowLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
