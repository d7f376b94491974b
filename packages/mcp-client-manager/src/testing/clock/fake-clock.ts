import { FakeTime } from './fake-time.js';

/** A clock that runs at the pace of the real one and can be put forward. */
export interface FakeClock extends Disposable {
  /**
   * Puts the clock forward. Every timer that comes due on the way fires in its order, at its time, and what it sets off
   * gets a turn before the next one.
   *
   * Servers do not run any faster for it. So a limit that is set on the way, such as that of a health check, of a start
   * or of a stop, is not over while a process or a connection still owes an answer: for a fifth of the limit in real time,
   * from one second to three, and four for all of one `advance` that are not kept. A limit is any `setTimeout` that is not
   * unref'd; what was set before fires at once.
   *
   * Resolves when the clock has got there. Rejects with what a timer's callback throws, and stays where that was.
   *
   * @param ms - In milliseconds, from 0 on.
   * @throws {TypeError} For a negative number or none.
   */
  advance(ms: number): Promise<void>;
  /**
   * Gives the globals back; the time goes back to the real one. Timers that are still waiting fire when as much real
   * time has gone by, and can still be cleared. A second call changes nothing.
   */
  uninstall(): void;
}

/**
 * Replaces the global `setTimeout`, `setInterval`, what clears them, `Date` and `performance.now`, which all delays of a
 * client manager are measured with, and nothing else: processes, sockets, `setImmediate`, `node:timers/promises` and
 * `AbortSignal.timeout` go on as ever. Between two calls of `advance` time goes by by itself, so that a server that is
 * really started is really waited for, and a manager that is closed does not hang.
 *
 * Install it before the manager is made: it knows the processes and connections that came after it.
 *
 * @throws {Error} There is one already.
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
  /** Mostly none: it is its prototype that has it. */
  readonly #ownNow = Object.getOwnPropertyDescriptor(performance, 'now');
  readonly #time = new FakeTime({ onEmpty: () => this.#giveBackClears() });

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

  /** They stay in place for as long as there is something of ours to clear: the real ones do not know our timers. */
  #giveBackClears(): void {
    const { clear } = this.#time;
    if (globalThis.clearTimeout === clear) globalThis.clearTimeout = this.#realClears.clearTimeout;
    if (globalThis.clearInterval === clear) globalThis.clearInterval = this.#realClears.clearInterval;
  }
}
