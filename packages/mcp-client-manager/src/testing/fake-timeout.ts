export interface FakeTimeoutOptions {
  readonly id: number;
  readonly run: () => void;
  /** Set for an interval. */
  readonly everyMs: number | undefined;
  readonly onRefresh: () => void;
  readonly onRef: () => void;
  readonly onClose: () => void;
}

/** What `setTimeout` and `setInterval` return, as Node has it. */
export class FakeTimeout {
  readonly id: number;
  readonly run: () => void;
  readonly everyMs: number | undefined;
  readonly #options: FakeTimeoutOptions;
  /** By the fake clock. */
  dueAt = 0;
  #hasRef = true;

  constructor(options: FakeTimeoutOptions) {
    this.id = options.id;
    this.run = options.run;
    this.everyMs = options.everyMs;
    this.#options = options;
  }

  ref(): this {
    this.#hasRef = true;
    this.#options.onRef();
    return this;
  }

  unref(): this {
    this.#hasRef = false;
    this.#options.onRef();
    return this;
  }

  hasRef(): boolean {
    return this.#hasRef;
  }

  refresh(): this {
    this.#options.onRefresh();
    return this;
  }

  close(): this {
    this.#options.onClose();
    return this;
  }

  [Symbol.toPrimitive](): number {
    return this.id;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
