import type { ServerResponse } from 'node:http';
import { Refusal } from './answers.js';
import { beginEvents, isBehind, sendEvent, taken } from './event-stream.js';
import type { LiveMessage } from './page-messages.js';
import type { Recorder } from './recorder.js';

const maxReaders = 16;
/** How often servers are looked at while somebody looks on, in milliseconds. */
const sampleMs = 5_000;

/** Pages that are told what happens. */
export class LiveFeed implements Disposable {
  readonly #recorder: Recorder;
  readonly #readers = new Set<LiveReader>();
  readonly #listening: Disposable;
  #timer: NodeJS.Timeout | undefined;

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
    this.#listening = recorder.onMessage((message) => {
      for (const reader of this.#readers) reader.tell(message);
    });
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
    if (this.#timer === undefined) this.#watch();
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

  #watch(): void {
    const sample = () => void this.#recorder.sample().catch(() => undefined); // nothing to look at while it ends
    this.#timer = setInterval(sample, sampleMs).unref();
    sample();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** One page. What it is not told because it reads too slowly, it learns from the next snapshot. */
class LiveReader {
  readonly #response: ServerResponse;
  readonly #recorder: Recorder;
  /** What came while a snapshot was being made, which may be older. */
  #waiting: LiveMessage[] | undefined = [];
  #isBehind = false;
  #wake: () => void = () => undefined;

  constructor(response: ServerResponse, recorder: Recorder) {
    this.#response = response;
    this.#recorder = recorder;
  }

  tell(message: LiveMessage): void {
    if (this.#isBehind) return;
    if (this.#waiting) this.#waiting.push(message);
    else sendEvent(this.#response, message);
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
    sendEvent(this.#response, { type: 'snapshot', snapshot } satisfies LiveMessage);
    const waiting: readonly LiveMessage[] = this.#waiting;
    this.#waiting = undefined;
    for (const message of waiting) this.tell(message);
  }

  #untilBehind(): Promise<void> {
    if (this.#isBehind) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
