import type { ServerResponse } from 'node:http';
import { Refusal } from './answers.js';
import { beginEvents, eventText, isBehind, sendText, taken } from './event-stream.js';
import { type Happening, Happenings } from './happening.js';
import type { LiveMessage } from './page-messages.js';
import type { Recorder } from './recorder.js';

const maxReaders = 16;

export interface LiveFeedOptions {
  /** In milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
  /**
   * How often servers are looked at while somebody looks on, in milliseconds. A page that hears nothing for long takes the
   * daemon for gone. Default 5 000.
   */
  readonly sampleMs?: number;
  /** What happens is told together with what happens within so many milliseconds: a page draws no faster. Default 200. */
  readonly collectMs?: number;
}

/** Pages that are told what happens. */
export class LiveFeed implements Disposable {
  readonly #recorder: Recorder;
  readonly #options: Required<LiveFeedOptions>;
  readonly #readers = new Set<LiveReader>();
  readonly #listening: Disposable;
  #happenings = new Happenings();
  #sampling: NodeJS.Timeout | undefined;
  #telling: NodeJS.Timeout | undefined;

  constructor(recorder: Recorder, { now = Date.now, sampleMs = 5_000, collectMs = 200 }: LiveFeedOptions = {}) {
    this.#recorder = recorder;
    this.#options = { now, sampleMs, collectMs };
    this.#listening = recorder.onHappening((happening) => this.#collect(happening));
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** Resolves when the reader has gone. @throws {Refusal} There are too many already. */
  async serve(response: ServerResponse, signal: AbortSignal): Promise<void> {
    if (this.#readers.size >= maxReaders) {
      throw new Refusal(503, 'too-many-readers', `${maxReaders} pages look on already; close one of them`);
    }
    const reader = new LiveReader(response, this.#recorder);
    this.#readers.add(reader);
    if (this.#sampling === undefined) this.#watch();
    try {
      await reader.run(signal);
    } finally {
      this.#readers.delete(reader);
      if (this.#readers.size === 0) this.#rest();
    }
  }

  [Symbol.dispose](): void {
    this.#rest();
    this.#listening[Symbol.dispose]();
  }

  #collect(happening: Happening): void {
    if (this.#readers.size === 0) return; // who comes later is sent everything first
    this.#happenings.add(happening);
    this.#telling ??= setTimeout(() => this.#tell(), this.#options.collectMs).unref();
  }

  #tell(): void {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    const message: LiveMessage = { type: 'changes', changes: this.#happenings.take(this.#options.now()) };
    const text = eventText(message);
    for (const reader of this.#readers) reader.tell(text);
  }

  #watch(): void {
    const sample = () => void this.#recorder.sample().catch(() => undefined); // nothing to look at while it ends
    this.#sampling = setInterval(() => {
      this.#tell(); // although nothing happened: whoever hears nothing takes the daemon for gone
      sample();
    }, this.#options.sampleMs).unref();
    sample();
  }

  #rest(): void {
    clearInterval(this.#sampling);
    clearTimeout(this.#telling);
    this.#sampling = undefined;
    this.#telling = undefined;
    this.#happenings = new Happenings();
  }
}

/** One page. What it is not told because it reads too slowly, it learns from the next snapshot. */
class LiveReader {
  readonly #response: ServerResponse;
  readonly #recorder: Recorder;
  /** What came while a snapshot was being made, which may be older. */
  #waiting: string[] | undefined = [];
  #isBehind = false;
  #wake: () => void = () => undefined;

  constructor(response: ServerResponse, recorder: Recorder) {
    this.#response = response;
    this.#recorder = recorder;
  }

  tell(text: string): void {
    if (this.#isBehind) return;
    if (this.#waiting) this.#waiting.push(text);
    else sendText(this.#response, text);
    if (!isBehind(this.#response)) return;
    this.#isBehind = true;
    this.#wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    const stop = () => this.#wake();
    signal.addEventListener('abort', stop);
    beginEvents(this.#response);
    try {
      while (!signal.aborted) {
        await this.#sendSnapshot();
        if (!signal.aborted) await this.#untilBehind();
        await taken(this.#response, signal);
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async #sendSnapshot(): Promise<void> {
    this.#waiting = [];
    this.#isBehind = false;
    const snapshot = await this.#recorder.snapshot();
    sendText(this.#response, eventText({ type: 'snapshot', snapshot } satisfies LiveMessage));
    const waiting: readonly string[] = this.#waiting;
    this.#waiting = undefined;
    for (const text of waiting) this.tell(text);
  }

  #untilBehind(): Promise<void> {
    if (this.#isBehind) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
