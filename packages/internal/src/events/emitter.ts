import { Listeners } from './listeners.js';

/** Listeners by event name. An event that a listener emits waits until all listeners have received the current one. */
export class Emitter<Events> {
  readonly #listeners = new Map<keyof Events, Listeners<never>>();
  readonly #queue: (() => void)[] = [];

  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): Disposable {
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
