import { TokenBucket } from '@x/internal/limits';
import type { ServerLogEntry } from '../session-listeners.js';

const perSecond = 200;

/** Admits a burst of 1 000 notifications, then 200 a second. */
export class NotificationBucket extends TokenBucket {
  constructor() {
    super({ requests: perSecond, perMs: 1_000, burst: 1_000 });
  }
}

/** Reports the number of dropped entries before the next one that passes. */
export class LogLimiter {
  readonly #pass: (entry: ServerLogEntry) => void;
  readonly #credit = new NotificationBucket();
  #dropped = 0;

  constructor(pass: (entry: ServerLogEntry) => void) {
    this.#pass = pass;
  }

  add(entry: ServerLogEntry): void {
    if (!this.#credit.take()) {
      this.#dropped += 1;
      return;
    }
    if (this.#dropped > 0) this.#reportDropped(entry.about);
    this.#pass(entry);
  }

  #reportDropped(about: ServerLogEntry['about']): void {
    const data = `${this.#dropped} log entries were dropped: the server sent more than ${perSecond} a second`;
    this.#dropped = 0;
    this.#pass({ level: 'warning', logger: 'mcp-client-manager', data, about });
  }
}
