import { FakeTime } from './fake-time.js';

/** A clock that runs at the pace of the real one and can be advanced. */
export interface FakeClock extends Disposable {
  /**
   * Advances the clock. Timers fire in order at their due times, each after the work that the previous one caused.
   *
   * Servers do not run faster. A limit that is set during an advance waits while a process or connection has a pending
   * response: for a fifth of the limit in real time, between one and three seconds, and four seconds for all limits of
   * one `advance`. A limit is any `setTimeout` without `unref`. Limits from before the advance fire at once.
   *
   * Resolves when the time is reached. Rejects with the exception of a timer's callback, at whose time the clock stays.
   *
   * @param ms - In milliseconds, from 0 on.
   * @throws {TypeError} For a negative number, or no number.
   */
  advance(ms: number): Promise<void>;
  /**
   * Restores the globals and the real time. Waiting timers fire after their delay in real time. A second call has no
   * effect.
   */
  uninstall(): void;
}

/**
 * Replaces the global timers, `Date` and `performance.now`, which measure all delays of a client manager, and nothing
 * else: `setImmediate`, `node:timers/promises` and `AbortSignal.timeout` are unchanged. Between two calls of `advance`
 * time passes normally.
 *
 * Install it before the manager is created: it tracks only later processes and connections.
 *
 * @throws {Error} A fake clock is installed already.
 */
export function installFakeClock(): FakeClock {
  if (installed) {
    throw new Error('A fake clock is installed already; uninstall it first, or dispose of it with `using`');
  }
  installed = new InstalledClock();
  return installed;
}

let installed: InstalledClock | undefined;

class InstalledClock implements FakeClock {
  readonly #real = { setTimeout, setInterval, Date };
  readonly #realClears = { clearTimeout, clearInterval };
  readonly #ownNow = Object.getOwnPropertyDescriptor(performance, 'now');
  readonly #time = new FakeTime({ onEmpty: () => this.#restoreClears() });

  constructor() {
    const { setTimeout, setInterval, clear, Date: fakeDate } = this.#time;
    Object.assign(globalThis, { setTimeout, setInterval, clearTimeout: clear, clearInterval: clear, Date: fakeDate });
    performance.now = () => this.#time.monotonicMs;
  }

  async advance(ms: number): Promise<void> {
    if (!(ms >= 0 && Number.isFinite(ms))) throw new TypeError(`ms must be a number from 0 on, got ${ms}`);
    await this.#time.advance(ms);
  }

  uninstall(): void {
    if (installed !== this) return;
    installed = undefined;
    Object.assign(globalThis, this.#real);
    if (this.#ownNow) Object.defineProperty(performance, 'now', this.#ownNow);
    else Reflect.deleteProperty(performance, 'now');
    this.#time.end();
  }

  [Symbol.dispose](): void {
    this.uninstall();
  }

  /** The real functions cannot clear fake timers that are left. */
  #restoreClears(): void {
    const { clear } = this.#time;
    if (globalThis.clearTimeout === clear) globalThis.clearTimeout = this.#realClears.clearTimeout;
    if (globalThis.clearInterval === clear) globalThis.clearInterval = this.#realClears.clearInterval;
  }
}
