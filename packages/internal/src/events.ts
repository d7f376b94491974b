import { refuseUnknown } from './options.js';

/** Every name of an emitter's events. */
export type EventNames<Events> = Readonly<Record<keyof Events, true>>;

/** Listeners by event name. An event that a listener emits waits until all listeners have received the current one. */
export class Emitter<Events> {
  readonly #names: EventNames<Events> | undefined;
  readonly #listeners = new Map<keyof Events, Listeners<never>>();
  readonly #queue: (() => void)[] = [];

  /** @param names - Refuses listeners of others. Default: any name. */
  constructor(names?: EventNames<Events>) {
    this.#names = names;
  }

  /** @throws {TypeError} No event has this name, or `listener` is not a function. */
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): Disposable {
    const names = this.#names && Object.keys(this.#names);
    if (names?.includes(String(name)) === false) refuseUnknown(String(name), names, { what: 'event' });
    const listeners = this.#listeners.get(name) ?? new Listeners<never>(String(name));
    this.#listeners.set(name, listeners);
    return listeners.add(listener);
  }

  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    this.#queue.push(() => this.#listeners.get(name)?.tell(event as never));
    if (this.#queue.length > 1) return;
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      next();
      this.#queue.shift();
    }
  }

  clear(): void {
    for (const listeners of this.#listeners.values()) listeners.clear();
  }
}

/** Listeners may be added and removed during a call. */
export class Listeners<Event> {
  readonly #name: string;
  readonly #listeners = new Set<{ readonly call: (event: Event) => void }>();

  /** @param name - The event's name in warnings. */
  constructor(name: string) {
    this.#name = name;
  }

  get size(): number {
    return this.#listeners.size;
  }

  add(listener: (event: Event) => void): Disposable {
    if (typeof listener !== 'function') throw new TypeError(`The listener of "${this.#name}" must be a function`);
    // A new entry: one function may be added twice.
    const entry = { call: listener };
    this.#listeners.add(entry);
    return { [Symbol.dispose]: () => void this.#listeners.delete(entry) };
  }

  tell(event: Event): void {
    for (const entry of Array.from(this.#listeners)) {
      if (this.#listeners.has(entry)) callListener(`A listener of "${this.#name}"`, () => entry.call(event));
    }
  }

  clear(): void {
    this.#listeners.clear();
  }
}

/** Disposes all of them. */
export function together(...parts: readonly Disposable[]): Disposable {
  return {
    [Symbol.dispose]: () => {
      for (const each of parts) each[Symbol.dispose]();
    },
  };
}

/**
 * An error of the listener becomes a process warning, or a line on the console.
 *
 * @param name - The listener's name in the warning.
 */
export function callListener(name: string, listener: () => void): void {
  try {
    listener();
  } catch (error) {
    const message = `${name} threw: ${error instanceof Error ? error.stack : String(error)}`;
    const { process: node, console } = globalThis as Runtime;
    if (node?.emitWarning) node.emitWarning(message);
    else console?.warn(message);
  }
}

interface Runtime {
  readonly process?: { emitWarning?(message: string): void };
  readonly console?: { warn(message: string): void };
}
