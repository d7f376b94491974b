import { AsyncResource } from 'node:async_hooks';
import { promisify } from 'node:util';
import { FakeTimeout } from './fake-timeout.js';

/** A clock that runs at the pace of the real one and can be put forward. */
export interface FakeClock extends Disposable {
  /**
   * Puts the clock forward. Every timer that comes due on the way fires in its order, at its time, and what it sets off
   * gets a turn before the next one. Resolves when the clock has got there; rejects with what a timer's callback throws.
   *
   * @throws {TypeError} For a negative number or none.
   */
  advance(ms: number): Promise<void>;
  /**
   * Gives the globals back; the time goes back to the real one. Timers that are still waiting stay alive and can still be
   * cleared. A second call changes nothing.
   */
  uninstall(): void;
}

/**
 * Replaces the global `setTimeout`, `setInterval`, what clears them, `Date` and `performance.now`, which all delays of a
 * client manager are measured with, and nothing else: processes, sockets, `setImmediate`, `node:timers/promises` and
 * `AbortSignal.timeout` go on as ever. Between two calls of `advance` time goes by by itself, so that a server that is
 * really started is really waited for, and a manager that is closed does not hang.
 *
 * @throws {Error} There is one already.
 */
export function installFakeClock(): FakeClock {
  if (installed)
    throw new Error('A fake clock is installed already; uninstall it first, or dispose of it with `using`');
  installed = new InstalledClock();
  return installed;
}

type Callback = (...args: unknown[]) => void;

const longestDelayMs = 2_147_483_647;

let installed: InstalledClock | undefined;

class InstalledClock implements FakeClock {
  readonly #real = { setTimeout, setInterval, clearTimeout, clearInterval, Date };
  readonly #realNow = performance.now;
  /** Mostly none: it is its prototype that has it. */
  readonly #ownNow = Object.getOwnPropertyDescriptor(performance, 'now');
  readonly #waiting = new Map<number, FakeTimeout>();
  readonly #clear = (handle: unknown): void => this.#forget(handle);
  /** How far this clock is ahead of the real one. */
  #aheadMs = 0;
  #lastId = 2 ** 40; // far from the ids of real timers
  /** The one real timer, for the earliest of ours. */
  #alarm: NodeJS.Timeout | undefined;
  /** How many are firing what is due at this moment. */
  #runs = 0;

  constructor() {
    const later =
      (isInterval: boolean) =>
      (callback: Callback, ms?: number, ...args: unknown[]) =>
        this.#schedule(callback, { ms, args, isInterval });
    const setFakeTimeout = Object.assign(later(false), {
      // What `util.promisify` makes of it.
      [promisify.custom]: (ms?: number, value?: unknown) =>
        new Promise((resolve) => this.#schedule(resolve, { ms, args: [value], isInterval: false })),
    });
    Object.assign(globalThis, {
      setTimeout: setFakeTimeout,
      setInterval: later(true),
      clearTimeout: this.#clear,
      clearInterval: this.#clear,
      Date: this.#fakeDate(),
    });
    performance.now = () => this.#now();
  }

  async advance(ms: number): Promise<void> {
    if (!(ms >= 0 && Number.isFinite(ms))) throw new TypeError(`ms must be a number from 0 on, got ${ms}`);
    const until = this.#now() + ms;
    await turn();
    await this.#run(until);
    this.#putForwardTo(until);
    this.#settle();
  }

  uninstall(): void {
    if (installed !== this) return;
    installed = undefined;
    const { clearTimeout: _, clearInterval: __, ...rest } = this.#real;
    Object.assign(globalThis, rest);
    if (this.#ownNow) Object.defineProperty(performance, 'now', this.#ownNow);
    else Reflect.deleteProperty(performance, 'now');
    this.#giveBackClearing();
  }

  [Symbol.dispose](): void {
    this.uninstall();
  }

  #now(): number {
    return this.#realNow.call(performance) + this.#aheadMs;
  }

  #putForwardTo(time: number): void {
    this.#aheadMs += Math.max(time - this.#now(), 0);
  }

  #schedule(
    callback: Callback,
    { ms = 1, args, isInterval }: { ms: number | undefined; args: unknown[]; isInterval: boolean },
  ): FakeTimeout {
    if (typeof callback !== 'function') throw new TypeError('The "callback" argument must be of type function');
    const delayMs = ms >= 1 && ms <= longestDelayMs ? Math.trunc(ms) : 1;
    const timeout: FakeTimeout = new FakeTimeout({
      id: ++this.#lastId,
      run: AsyncResource.bind(() => callback(...args)),
      everyMs: isInterval ? delayMs : undefined,
      onRefresh: () => this.#wait(timeout, delayMs),
      onRef: () => this.#settle(),
      onClose: () => this.#forget(timeout),
    });
    this.#wait(timeout, delayMs);
    return timeout;
  }

  #wait(timeout: FakeTimeout, ms: number): void {
    timeout.dueAt = this.#now() + ms;
    this.#waiting.delete(timeout.id); // to the end of the line, behind those that are due at the same time
    this.#waiting.set(timeout.id, timeout);
    this.#settle();
  }

  #fire(timeout: FakeTimeout): void {
    this.#waiting.delete(timeout.id);
    if (timeout.everyMs !== undefined) this.#wait(timeout, timeout.everyMs);
    timeout.run();
  }

  #forget(handle: unknown): void {
    const id = handle instanceof FakeTimeout ? handle.id : Number(handle);
    if (this.#waiting.delete(id)) this.#settle();
    else this.#real.clearTimeout(handle as NodeJS.Timeout);
  }

  #earliest(): FakeTimeout | undefined {
    let earliest: FakeTimeout | undefined;
    for (const timeout of this.#waiting.values()) {
      if (!earliest || timeout.dueAt < earliest.dueAt) earliest = timeout;
    }
    return earliest;
  }

  /** Fires what is due until then, each at its own time. */
  async #run(until: number): Promise<void> {
    this.#runs += 1;
    try {
      for (let next = this.#earliest(); next && next.dueAt <= until; next = this.#earliest()) {
        this.#putForwardTo(next.dueAt);
        this.#fire(next);
        await turn();
      }
    } finally {
      this.#runs -= 1;
      this.#settle();
    }
  }

  /** Time goes by by itself, too. */
  #ring(): void {
    this.#run(this.#now()).catch((error: unknown) => {
      process.nextTick(() => {
        throw error; // as a timer's callback that throws does
      });
    });
  }

  /** To be called when other timers are waiting, or for another time. */
  #settle(): void {
    this.#real.clearTimeout(this.#alarm);
    const earliest = this.#earliest();
    if (earliest && this.#runs === 0) {
      this.#alarm = this.#real.setTimeout(() => this.#ring(), Math.ceil(earliest.dueAt - this.#now()));
      if (![...this.#waiting.values()].some((timeout) => timeout.hasRef())) this.#alarm.unref();
    }
    if (installed !== this) this.#giveBackClearing();
  }

  /** Stays in place for as long as there is something of ours to clear: the real one does not know our timers. */
  #giveBackClearing(): void {
    if (this.#waiting.size > 0) return;
    if (globalThis.clearTimeout === this.#clear) globalThis.clearTimeout = this.#real.clearTimeout;
    if (globalThis.clearInterval === this.#clear) globalThis.clearInterval = this.#real.clearInterval;
  }

  #fakeDate(): DateConstructor {
    const { Date: RealDate } = this.#real;
    const now = (): number => Math.floor(RealDate.now() + this.#aheadMs);
    return new Proxy(RealDate, {
      get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
      apply: () => new RealDate(now()).toString(),
      construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    });
  }
}

/** Lets everything that is ready to go on do so: microtasks, and what has come in from outside. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });
}
