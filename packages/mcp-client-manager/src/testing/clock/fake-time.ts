import { AsyncResource } from 'node:async_hooks';
import { promisify } from 'node:util';
import { createClock } from '@sinonjs/fake-timers';
import { longestTimerMs } from '@x/internal/options';
import { ExternalWork } from './external-work.js';
import { nodeHandle } from './node-handle.js';
import { ResponseWait, realTimeFor } from './response-wait.js';

type Callback = (...args: unknown[]) => void;

/** A timer that is going to fire. */
interface Waiting {
  readonly handle: NodeJS.Timeout;
  readonly run: () => void;
  readonly isInterval: boolean;
  readonly delayMs: number;
  /** Set for what was set while time was put forward: when, by the real clock, it may fire. */
  ripeAt: number | undefined;
}

/**
 * The time of a fake clock and its timers. `@sinonjs/fake-timers` keeps them; this lets real time go by, and gives what
 * happens outside of this process time to happen.
 */
export class FakeTime {
  readonly #clock = createClock(Date.now());
  readonly #realSetInterval = setInterval;
  readonly #realClear = clearTimeout;
  readonly #realNow = performance.now.bind(performance);
  readonly #startedAt = this.#realNow() - this.#clock.now;
  readonly #world = new ExternalWork(this.#realNow);
  readonly #onEmpty: () => void;
  readonly #waiting = new Map<number, Waiting>();
  /** Due, but not ripe. */
  readonly #unripe = new Set<Waiting>();
  /** Up to when, by the real clock, time has gone by. */
  #seenAt = 0;
  #pulse: NodeJS.Timeout | undefined = this.#startPulse();
  /** Settles when nothing is firing any more; never rejects. */
  #firing: Promise<void> | undefined;
  #isAdvancing = false;
  #hasEnded = false;

  constructor({ onEmpty }: { readonly onEmpty: () => void }) {
    this.#onEmpty = onEmpty;
  }

  readonly setTimeout = Object.assign(
    (callback: Callback, ms?: number, ...args: unknown[]) => this.#set(callback, { ms, args, isInterval: false }),
    {
      // What `util.promisify` makes of it.
      [promisify.custom]: (ms?: number, value?: unknown) =>
        new Promise((resolve) => this.#set(resolve, { ms, args: [value], isInterval: false })),
    },
  );

  readonly setInterval = (callback: Callback, ms?: number, ...args: unknown[]): NodeJS.Timeout =>
    this.#set(callback, { ms, args, isInterval: true });

  /** Also clears real timers. */
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

  /** What `performance.now` is to say. */
  get monotonicMs(): number {
    return this.#startedAt + this.#clock.now;
  }

  async advance(ms: number): Promise<void> {
    while (this.#firing) await this.#firing;
    await this.#fire(() => this.#goForward(Math.ceil(ms)));
  }

  /** Time goes on for as long as timers wait. */
  end(): void {
    this.#hasEnded = true;
    this.#world.close();
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
    const waiting: Waiting = { handle, run, isInterval, delayMs, ripeAt: undefined };
    this.#wait(waiting);
    return handle;
  }

  #wait(waiting: Waiting): void {
    const isLimit = this.#isAdvancing && !waiting.isInterval;
    waiting.ripeAt = isLimit ? this.#realNow() + realTimeFor(waiting.delayMs) : undefined;
    this.#unripe.delete(waiting);
    this.#waiting.set(Number(waiting.handle), waiting);
    this.#pulse ??= this.#startPulse(); // some refresh a timer long after the end
    this.#pulse.ref();
  }

  #due(waiting: Waiting): void {
    if (this.#isAdvancing && waiting.ripeAt !== undefined && waiting.handle.hasRef()) this.#unripe.add(waiting);
    else this.#run(waiting);
  }

  #run(waiting: Waiting): void {
    if (!waiting.isInterval) this.#forget(waiting);
    waiting.run();
  }

  #forget(waiting: Waiting): void {
    this.#waiting.delete(Number(waiting.handle));
    this.#unripe.delete(waiting);
  }

  /** Lets time go by. */
  #startPulse(): NodeJS.Timeout {
    this.#seenAt = this.#realNow();
    return this.#realSetInterval(() => this.#keepUp(), 1);
  }

  /** Real time has gone by. */
  #keepUp(): void {
    const elapsedMs = Math.floor(this.#realNow() - this.#seenAt);
    if (this.#firing || elapsedMs < 1) return;
    this.#seenAt += elapsedMs;
    this.#fire(() => this.#clock.tickAsync(elapsedMs)).catch((error: unknown) => {
      process.nextTick(() => {
        throw error; // as a timer's callback that throws does
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

  /** Fires one timer after the other, up to one of our own. */
  async #goForward(ms: number): Promise<void> {
    await turn(); // what is ready to go on may set timers first
    const patience = new ResponseWait(this.#world, this.#realNow);
    this.#isAdvancing = true;
    try {
      for (let leftMs = ms; leftMs >= 0; leftMs -= longestTimerMs) {
        await this.#goTo(Math.min(leftMs, longestTimerMs), patience);
      }
    } finally {
      this.#isAdvancing = false;
      this.#seenAt = this.#realNow();
    }
  }

  async #goTo(ms: number, patience: ResponseWait): Promise<void> {
    let isThere = false;
    const goal = this.#clock.setTimeout(() => {
      isThere = true;
    }, ms);
    try {
      while (!isThere) {
        await this.#clock.nextAsync();
        await this.#ripen(patience);
      }
      await this.#clock.tickAsync(0); // what was set on the way for this very moment
      await this.#ripen(patience);
    } finally {
      this.#clock.clearTimeout(goal);
    }
  }

  /** Fires the limits that are due, when nobody is about to keep them. */
  async #ripen(patience: ResponseWait): Promise<void> {
    const failures: unknown[] = [];
    for (const waiting of this.#unripe) {
      await patience.waitUntil(waiting.ripeAt ?? 0, () => this.#unripe.has(waiting));
      await turn(); // an answer that has come is read, and may clear the limit
      try {
        if (this.#unripe.has(waiting)) this.#run(waiting);
      } catch (error) {
        failures.push(error); // one that throws keeps no other from its turn
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Holds the process only while a timer does, and ends with the last one. */
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
