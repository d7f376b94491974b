/** Keys per period. Further ones are dropped. */
const maxKeys = 10_000;

interface Entry {
  lastAt: number;
  isPending: boolean;
}

/** Reports the first notification per key at once, and later ones at the end of the period. */
export class Coalescer<Key> {
  readonly #periodMs: number;
  readonly #notify: (key: Key) => void;
  readonly #entries = new Map<Key, Entry>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ periodMs, notify }: { periodMs: number; notify: (key: Key) => void }) {
    this.#periodMs = periodMs;
    this.#notify = notify;
  }

  add(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry) {
      entry.isPending = true;
      return;
    }
    if (this.#entries.size >= maxKeys) return;
    this.#entries.set(key, { lastAt: performance.now(), isPending: false });
    this.#timer ??= this.#later(this.#periodMs);
    this.#notify(key);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#entries.clear();
  }

  #later(ms: number): NodeJS.Timeout {
    const timer = setTimeout(() => this.#tick(), ms);
    timer.unref(); // must not keep the process alive
    return timer;
  }

  #tick(): void {
    this.#timer = undefined;
    const now = performance.now();
    const due = [...this.#entries].filter(([, { lastAt }]) => now - lastAt >= this.#periodMs);
    for (const [key, entry] of due) {
      if (entry.isPending) this.#entries.set(key, { lastAt: now, isPending: false });
      else this.#entries.delete(key);
    }
    const next = Math.min(...[...this.#entries.values()].map(({ lastAt }) => lastAt + this.#periodMs - now));
    if (this.#entries.size > 0) this.#timer = this.#later(Math.max(Math.ceil(next), 1));
    for (const [key, entry] of due) if (entry.isPending) this.#notify(key);
  }
}
