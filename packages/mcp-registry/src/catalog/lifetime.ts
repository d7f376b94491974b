/**
 * From now until `end()`. What an `AbortController` is for, without its limit: runtimes warn of a leak when many
 * listeners wait on one signal, and here every call under way is one.
 */
export class Lifetime {
  readonly #listeners = new Set<() => void>();
  #end: { readonly reason: unknown } | undefined;

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** What `end()` was given; `undefined` until then. */
  get reason(): unknown {
    return this.#end?.reason;
  }

  throwIfOver(): void {
    if (this.#end !== undefined) throw this.#end.reason;
  }

  /** Calls `listener` at the end, unless the returned object is disposed before. Not at all if it is over already. */
  onEnd(listener: () => void): Disposable {
    const own = () => listener();
    if (!this.isOver) this.#listeners.add(own);
    return { [Symbol.dispose]: () => void this.#listeners.delete(own) };
  }

  end(reason: unknown): void {
    if (this.isOver) return;
    this.#end = { reason };
    const listeners = Array.from(this.#listeners);
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }
}
