import { within, withResolvers } from '@x/internal/async';

export interface LifetimeListener {
  /** A call in progress, which a close may let finish. */
  readonly isCall?: boolean;
  lifetimeOver(reason: unknown): void;
}

/** Listeners are cheap, because each call in progress is one. */
export class Lifetime {
  readonly #listeners = new Set<LifetimeListener>();
  #refusal: { readonly reason: unknown } | undefined;
  #end: { readonly reason: unknown } | undefined;
  #idle: ReturnType<typeof withResolvers<void>> | undefined;
  #unlisted = 0;
  #controller: AbortController | undefined;

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  throwIfOver(): void {
    if (this.#refusal !== undefined) throw this.#refusal.reason;
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
    this.#checkIdle();
  }

  /** Counts a call that is no listener until it has settled. */
  during<Result>(call: Promise<Result>): Promise<Result> {
    this.#unlisted += 1;
    call.then(this.#settled, this.#settled);
    return call;
  }

  /** Refuses new work, and resolves when the calls in progress have finished, or after `ms`. */
  async drain(reason: unknown, ms: number): Promise<void> {
    this.#refusal ??= { reason };
    if (!this.#hasCalls) return;
    this.#idle ??= withResolvers();
    await within(this.#idle.promise, ms);
  }

  readonly #settled = (): void => {
    this.#unlisted -= 1;
    this.#checkIdle();
  };

  #checkIdle(): void {
    if (this.#idle !== undefined && !this.#hasCalls) this.#idle.resolve();
  }

  get #hasCalls(): boolean {
    if (this.#unlisted > 0) return true;
    for (const { isCall } of this.#listeners) if (isCall) return true;
    return false;
  }

  end(reason: unknown): void {
    if (this.isOver) return;
    this.#end = { reason };
    this.#refusal ??= this.#end;
    const listeners = Array.from(this.#listeners);
    this.#listeners.clear();
    this.#controller?.abort(reason);
    for (const listener of listeners) listener.lifetimeOver(reason);
  }
}
