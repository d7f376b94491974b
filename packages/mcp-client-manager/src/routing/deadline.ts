import { longestTimerMs } from '@x/internal/options';

/**
 * How long the clock of one call or request may stand still in all while its host answers, in milliseconds. The host's own bounds are
 * shorter; this one is for a host that has none.
 */
const maxStoppedMs = 1_800_000;

/** Ends something after so much time, of which waiting for its host is no part. */
export class Deadline {
  readonly #end: () => void;
  /** Of its time, and of that which the clock may still stand. */
  #leftMs: number;
  #mayStopMs = maxStoppedMs;
  #isStopped = false;
  #isOver = false;
  /** When the clock was stopped or started last. */
  #since = performance.now();
  #timer: NodeJS.Timeout;
  #dueMs: number;

  constructor(timeoutMs: number, end: () => void) {
    this.#end = end;
    this.#leftMs = timeoutMs;
    this.#dueMs = this.#since + timeoutMs;
    this.#timer = setTimeout(end, timeoutMs);
  }

  /** When it ends, by `performance.now()`. */
  get dueMs(): number {
    return this.#dueMs;
  }

  stop(): void {
    if (this.#isOver || this.#isStopped) return;
    this.#leftMs -= this.#passed();
    this.#isStopped = true;
    this.#arm(this.#leftMs + this.#mayStopMs);
  }

  goOn(): void {
    if (this.#isOver || !this.#isStopped) return;
    const passedMs = this.#passed();
    this.#leftMs -= Math.max(passedMs - this.#mayStopMs, 0);
    this.#mayStopMs = Math.max(this.#mayStopMs - passedMs, 0);
    this.#isStopped = false;
    this.#arm(this.#leftMs);
  }

  /** Nothing is ended any more. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#isOver = true;
  }

  #passed(): number {
    const now = performance.now();
    const passedMs = now - this.#since;
    this.#since = now;
    return passedMs;
  }

  #arm(ms: number): void {
    clearTimeout(this.#timer);
    this.#dueMs = performance.now() + ms;
    this.#timer = setTimeout(this.#end, Math.min(Math.max(ms, 1), longestTimerMs));
  }
}
