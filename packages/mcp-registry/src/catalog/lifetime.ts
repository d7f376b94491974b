export interface LifetimeListener {
  lifetimeOver(reason: unknown): void;
}

/** Listeners are cheap, because each call in progress is one. */
export class Lifetime {
  readonly #listeners = new Set<LifetimeListener>();
  #end: { readonly reason: unknown } | undefined;
  #controller: AbortController | undefined;

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  throwIfOver(): void {
    if (this.#end !== undefined) throw this.#end.reason;
  }

  /**
   * Aborts at the end. Its listeners must be removed. Created on first read, because some runtimes allow no
   * `AbortController` outside of a request.
   */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#end !== undefined) this.#controller.abort(this.#end.reason);
    return this.#controller.signal;
  }

  addListener(listener: LifetimeListener): void {
    if (!this.isOver) this.#listeners.add(listener);
  }

  removeListener(listener: LifetimeListener): void {
    this.#listeners.delete(listener);
  }

  end(reason: unknown): void {
    if (this.isOver) return;
    this.#end = { reason };
    const listeners = Array.from(this.#listeners);
    this.#listeners.clear();
    this.#controller?.abort(reason);
    for (const listener of listeners) listener.lifetimeOver(reason);
  }
}
