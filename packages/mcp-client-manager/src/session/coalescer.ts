/** Keys that are remembered at a time; a peer that names more within one period gets no more memory than this, nor a telling. */
const maxKeys = 10_000;

interface Entry {
  lastAt: number;
  isPending: boolean;
}

/**
 * Tells of each key at once, and then at most once a period, however often it is added meanwhile. The last
 * addition of each is followed by a telling, but for keys beyond the first 10 000 of a period, which are let go.
 */
export class Coalescer<Key> {
  readonly #periodMs: number;
  readonly #tell: (key: Key) => void;
  readonly #entries = new Map<Key, Entry>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ periodMs, tell }: { periodMs: number; tell: (key: Key) => void }) {
    this.#periodMs = periodMs;
    this.#tell = tell;
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
    this.#tell(key);
  }

  /** Nothing is told any more. */
  close(): void {
    clearTimeout(this.#timer);
    this.#entries.clear();
  }

  #later(ms: number): NodeJS.Timeout {
    const timer = setTimeout(() => this.#tick(), ms);
    timer.unref(); // news about a server must not keep the host alive
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
    for (const [key, entry] of due) if (entry.isPending) this.#tell(key);
  }
}
