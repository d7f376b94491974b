/** Those who want to hear of something. One that throws keeps nobody else from hearing it. */
export class Listeners<Event> {
  readonly #listeners = new Set<{ readonly call: (event: Event) => void }>();

  add(listener: (event: Event) => void): Disposable {
    const entry = { call: listener };
    this.#listeners.add(entry);
    return { [Symbol.dispose]: () => void this.#listeners.delete(entry) };
  }

  tell(event: Event): void {
    for (const entry of Array.from(this.#listeners)) {
      if (this.#listeners.has(entry)) callSafely(() => entry.call(event));
    }
  }

  clear(): void {
    this.#listeners.clear();
  }
}

/** What the callback throws is nobody's to catch here, so it becomes uncaught, and the caller goes on. */
export function callSafely(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
