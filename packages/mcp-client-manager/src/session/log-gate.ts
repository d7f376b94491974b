import type { ServerLogEntry } from './session-listeners.js';

/** Entries that are let through at once, and how many more each second after those. */
const burst = 1_000;
const perSecond = 200;

/**
 * Lets a server's log through at a rate that no listener drowns in. What is left out is counted, and said in an entry
 * of its own before the next one that passes.
 */
export class LogGate {
  readonly #pass: (entry: ServerLogEntry) => void;
  #credit = burst;
  #at = performance.now();
  #dropped = 0;

  constructor(pass: (entry: ServerLogEntry) => void) {
    this.#pass = pass;
  }

  add(entry: ServerLogEntry): void {
    if (this.#credit < 1) this.#refill();
    if (this.#credit < 1) {
      this.#dropped += 1;
      return;
    }
    this.#credit -= 1;
    if (this.#dropped > 0) this.#confess();
    this.#pass(entry);
  }

  #refill(): void {
    const now = performance.now();
    this.#credit = Math.min(this.#credit + ((now - this.#at) * perSecond) / 1_000, burst);
    this.#at = now;
  }

  #confess(): void {
    const data = `${this.#dropped} log entries were left out: the server wrote more than ${perSecond} a second`;
    this.#dropped = 0;
    this.#pass({ level: 'warning', logger: 'mcp-client-manager', data });
  }
}
