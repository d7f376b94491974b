import { Credit, perSecond } from './credit.js';
import type { ServerLogEntry } from './session-listeners.js';

/**
 * Lets a server's log through at a rate that no listener drowns in. What is left out is counted, and said in an entry
 * of its own before the next one that passes.
 */
export class LogGate {
  readonly #pass: (entry: ServerLogEntry) => void;
  readonly #credit = new Credit();
  #dropped = 0;

  constructor(pass: (entry: ServerLogEntry) => void) {
    this.#pass = pass;
  }

  add(entry: ServerLogEntry): void {
    if (!this.#credit.take()) {
      this.#dropped += 1;
      return;
    }
    if (this.#dropped > 0) this.#confess(entry.about);
    this.#pass(entry);
  }

  #confess(about: ServerLogEntry['about']): void {
    const data = `${this.#dropped} log entries were left out: the server wrote more than ${perSecond} a second`;
    this.#dropped = 0;
    this.#pass({ level: 'warning', logger: 'mcp-client-manager', data, about });
  }
}
