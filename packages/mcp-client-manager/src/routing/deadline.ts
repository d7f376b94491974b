import { longestTimerMs } from '@x/internal/options';

const maxPauseMs = 1_800_000;

/** A deadline that pauses while a client handler works. */
export class Deadline {
  readonly #end: () => void;
  #leftMs: number;
  #pauseLeftMs = maxPauseMs;
  #isPaused = false;
  #isOver = false;
  #since = performance.now();
  #timer: NodeJS.Timeout;
  #dueMs: number;

  constructor(timeoutMs: number, end: () => void) {
    this.#end = end;
    this.#leftMs = timeoutMs;
    this.#dueMs = this.#since + timeoutMs;
    this.#timer = setTimeout(end, timeoutMs);
  }

  get dueMs(): number {
    return this.#dueMs;
  }

  pause(): void {
    if (this.#isOver || this.#isPaused) return;
    this.#leftMs -= this.#elapsedMs();
    this.#isPaused = true;
    this.#arm(this.#leftMs + this.#pauseLeftMs);
  }

  resume(): void {
    if (this.#isOver || !this.#isPaused) return;
    const passedMs = this.#elapsedMs();
    this.#leftMs -= Math.max(passedMs - this.#pauseLeftMs, 0);
    this.#pauseLeftMs = Math.max(this.#pauseLeftMs - passedMs, 0);
    this.#isPaused = false;
    this.#arm(this.#leftMs);
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#isOver = true;
  }

  #elapsedMs(): number {
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
