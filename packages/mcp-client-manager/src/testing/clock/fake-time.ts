import { AsyncResource } from 'node:async_hooks';
import { promisify } from 'node:util';
import { createClock } from '@sinonjs/fake-timers';
import { longestTimerMs } from '@x/internal/options';
import { ExternalWork, ResponseWait, realTimeFor } from './external-work.js';

type Callback = (...args: unknown[]) => void;

interface Waiting {
  readonly handle: NodeJS.Timeout;
  readonly run: () => void;
  readonly isInterval: boolean;
  readonly delayMs: number;
  /** In real time, for timers set during an advance. */
  earliestAt: number | undefined;
}

/** Extends `@sinonjs/fake-timers` by passing real time and waits for external work. */
export class FakeTime {
  readonly #clock = createClock(Date.now());
  readonly #realSetInterval = setInterval;
  readonly #realClear = clearTimeout;
  readonly #realNow = performance.now.bind(performance);
  readonly #startedAt = this.#realNow() - this.#clock.now;
  readonly #externalWork = new ExternalWork(this.#realNow);
  readonly #onEmpty: () => void;
  readonly #waiting = new Map<number, Waiting>();
  /** Timers that are due, but before `earliestAt`. */
  readonly #deferred = new Set<Waiting>();
  #seenAt = 0;
  #pulse: NodeJS.Timeout | undefined = this.#startPulse();
  /** Settles when no timer fires any more; never rejects. */
  #firing: Promise<void> | undefined;
  #isAdvancing = false;
  #hasEnded = false;

  constructor({ onEmpty }: { readonly onEmpty: () => void }) {
    this.#onEmpty = onEmpty;
  }

  readonly setTimeout = Object.assign(
    (callback: Callback, ms?: number, ...args: unknown[]) => this.#set(callback, { ms, args, isInterval: false }),
    {
      // For `util.promisify`.
      [promisify.custom]: (ms?: number, value?: unknown) =>
        new Promise((resolve) => this.#set(resolve, { ms, args: [value], isInterval: false })),
    },
  );

  readonly setInterval = (callback: Callback, ms?: number, ...args: unknown[]): NodeJS.Timeout =>
    this.#set(callback, { ms, args, isInterval: true });

  /** Clears real timers, too. */
  readonly clear = (handle: unknown): void => {
    const waiting = this.#waiting.get(Number(handle));
    if (!waiting) {
      this.#realClear(handle as NodeJS.Timeout);
      return;
    }
    this.#forget(waiting);
    this.#clock.clearTimeout(Number(handle));
    this.#settle();
  };

  get Date(): DateConstructor {
    return this.#clock.Date;
  }

  get monotonicMs(): number {
    return this.#startedAt + this.#clock.now;
  }

  async advance(ms: number): Promise<void> {
    while (this.#firing) await this.#firing;
    await this.#fire(() => this.#advanceBy(Math.ceil(ms)));
  }

  end(): void {
    this.#hasEnded = true;
    this.#externalWork.close();
    this.#settle();
  }

  #set(
    callback: Callback,
    { ms = 1, args, isInterval }: { ms: number | undefined; args: unknown[]; isInterval: boolean },
  ): NodeJS.Timeout {
    if (typeof callback !== 'function') throw new TypeError('The "callback" argument must be of type function');
    const delayMs = ms >= 1 && ms <= longestTimerMs ? Math.trunc(ms) : 1;
    const due = (): void => this.#due(waiting);
    const timer = isInterval ? this.#clock.setInterval(due, delayMs) : this.#clock.setTimeout(due, delayMs);
    const handle = nodeHandle(timer, { onRefresh: () => this.#wait(waiting), onClose: () => this.clear(handle) });
    const run = AsyncResource.bind(() => callback(...args));
    const waiting: Waiting = { handle, run, isInterval, delayMs, earliestAt: undefined };
    this.#wait(waiting);
    return handle;
  }

  #wait(waiting: Waiting): void {
    const isLimit = this.#isAdvancing && !waiting.isInterval;
    waiting.earliestAt = isLimit ? this.#realNow() + realTimeFor(waiting.delayMs) : undefined;
    this.#deferred.delete(waiting);
    this.#waiting.set(Number(waiting.handle), waiting);
    this.#pulse ??= this.#startPulse();
    this.#pulse.ref();
  }

  #due(waiting: Waiting): void {
    if (this.#isAdvancing && waiting.earliestAt !== undefined && waiting.handle.hasRef()) this.#deferred.add(waiting);
    else this.#run(waiting);
  }

  #run(waiting: Waiting): void {
    if (!waiting.isInterval) this.#forget(waiting);
    waiting.run();
  }

  #forget(waiting: Waiting): void {
    this.#waiting.delete(Number(waiting.handle));
    this.#deferred.delete(waiting);
  }

  #startPulse(): NodeJS.Timeout {
    this.#seenAt = this.#realNow();
    return this.#realSetInterval(() => this.#passRealTime(), 1);
  }

  #passRealTime(): void {
    const elapsedMs = Math.floor(this.#realNow() - this.#seenAt);
    if (this.#firing || elapsedMs < 1) return;
    this.#seenAt += elapsedMs;
    this.#fire(() => this.#clock.tickAsync(elapsedMs)).catch((error: unknown) => {
      process.nextTick(() => {
        throw error;
      });
    });
  }

  async #fire(work: () => Promise<unknown>): Promise<void> {
    const firing = work();
    this.#firing = firing.then(
      () => undefined,
      () => undefined,
    );
    try {
      await firing;
    } finally {
      this.#firing = undefined;
      this.#settle();
    }
  }

  async #advanceBy(ms: number): Promise<void> {
    await turn();
    const responses = new ResponseWait(this.#externalWork, this.#realNow);
    this.#isAdvancing = true;
    try {
      for (let leftMs = ms; leftMs >= 0; leftMs -= longestTimerMs) {
        await this.#advanceStep(Math.min(leftMs, longestTimerMs), responses);
      }
    } finally {
      this.#isAdvancing = false;
      this.#seenAt = this.#realNow();
    }
  }

  /**
   * Fires timers one by one until an extra timer, which marks the goal `ms` milliseconds from now, has fired. Then
   * fires the others that are due.
   */
  async #advanceStep(ms: number, responses: ResponseWait): Promise<void> {
    let isThere = false;
    const goal = this.#clock.setTimeout(() => {
      isThere = true;
    }, ms);
    try {
      while (!isThere) {
        await this.#clock.nextAsync();
        await this.#fireDeferred(responses);
      }
      await this.#clock.tickAsync(0);
      await this.#fireDeferred(responses);
    } finally {
      this.#clock.clearTimeout(goal);
    }
  }

  /** Fires the due limits that no pending response will clear. */
  async #fireDeferred(responses: ResponseWait): Promise<void> {
    const failures: unknown[] = [];
    for (const waiting of this.#deferred) {
      await responses.waitUntil(waiting.earliestAt ?? 0, () => this.#deferred.has(waiting));
      await turn();
      try {
        if (this.#deferred.has(waiting)) this.#run(waiting);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Keeps the process alive only while a timer does, and ends after the last one. */
  #settle(): void {
    if (![...this.#waiting.values()].some(({ handle }) => handle.hasRef())) this.#pulse?.unref();
    if (!this.#hasEnded || this.#waiting.size > 0) return;
    this.#realClear(this.#pulse);
    this.#pulse = undefined;
    this.#onEmpty();
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

interface NodeHandleParts {
  readonly onRefresh: () => void;
  readonly onClose: () => void;
}

/** Adds `close` and `dispose`, which the library's timers lack. */
function nodeHandle(timer: unknown, { onRefresh, onClose }: NodeHandleParts): NodeJS.Timeout {
  const handle = timer as NodeJS.Timeout;
  const refresh = handle.refresh.bind(handle);
  return Object.assign(handle, {
    refresh: () => {
      onRefresh();
      return refresh();
    },
    close: () => {
      onClose();
      return handle;
    },
    [Symbol.dispose]: onClose,
  });
}
