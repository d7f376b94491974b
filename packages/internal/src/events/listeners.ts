import { callListener } from './call-listener.js';

/** Listeners of one kind of event. They may be added and removed during a call. */
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
