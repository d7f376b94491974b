import type { ServerResponse } from 'node:http';
import { BoundedMap } from '@x/internal/limits';
import { beginEvents, drained, eventText, isBehind, sendText } from './event-stream.js';
import { Refusal } from './http.js';
import { maxSamples } from './kept-samples.js';
import {
  type ApprovalView,
  type CallView,
  type Changes,
  type DaemonView,
  type FleetView,
  type LiveMessage,
  maxCalls,
  type RecordingView,
  type Sample,
  type ServerView,
} from './page-messages.js';
import type { LiveEvent, Recorder } from './recorder.js';

const maxReaders = 16;

export interface LiveFeedOptions {
  /** In milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
  /** Interval of samples while a page is open, in milliseconds. Default 5 000. */
  readonly sampleMs?: number;
  /** Period over which events are batched, in milliseconds. Default 200. */
  readonly collectMs?: number;
}

/** Sends live events to all open pages. */
export class LiveFeed implements Disposable {
  readonly #recorder: Recorder;
  readonly #options: Required<LiveFeedOptions>;
  readonly #readers = new Set<LiveReader>();
  readonly #listening: Disposable;
  #events = new LiveEventBatch();
  #sampling: NodeJS.Timeout | undefined;
  #sending: NodeJS.Timeout | undefined;

  constructor(recorder: Recorder, { now = Date.now, sampleMs = 5_000, collectMs = 200 }: LiveFeedOptions = {}) {
    this.#recorder = recorder;
    this.#options = { now, sampleMs, collectMs };
    this.#listening = recorder.onEvent((event) => this.#collect(event));
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** Resolves when the reader is gone. @throws {Refusal} Too many pages are open. */
  async serve(response: ServerResponse, signal: AbortSignal): Promise<void> {
    if (this.#readers.size >= maxReaders) {
      throw new Refusal(503, 'too-many-readers', `${maxReaders} pages are open; close one of them`);
    }
    const reader = new LiveReader(response, this.#recorder);
    this.#readers.add(reader);
    if (this.#sampling === undefined) this.#startSampling();
    try {
      await reader.run(signal);
    } finally {
      this.#readers.delete(reader);
      if (this.#readers.size === 0) this.#stopSampling();
    }
  }

  [Symbol.dispose](): void {
    this.#stopSampling();
    this.#listening[Symbol.dispose]();
  }

  #collect(event: LiveEvent): void {
    if (this.#readers.size === 0) return; // later readers get a snapshot first
    this.#events.add(event);
    this.#sending ??= setTimeout(() => this.#send(), this.#options.collectMs).unref();
  }

  #send(): void {
    clearTimeout(this.#sending);
    this.#sending = undefined;
    const message: LiveMessage = { type: 'changes', changes: this.#events.drain(this.#options.now()) };
    const text = eventText(message);
    for (const reader of this.#readers) reader.send(text);
  }

  #startSampling(): void {
    const sample = () => void this.#recorder.sample().catch(() => undefined); // the control is ending
    this.#sampling = setInterval(() => {
      this.#send(); // without messages a page assumes that the daemon is gone
      sample();
    }, this.#options.sampleMs).unref();
    sample();
  }

  #stopSampling(): void {
    clearInterval(this.#sampling);
    clearTimeout(this.#sending);
    this.#sampling = undefined;
    this.#sending = undefined;
    this.#events = new LiveEventBatch();
  }
}

/** One page. A slow reader misses messages and receives a snapshot instead. */
class LiveReader {
  readonly #response: ServerResponse;
  readonly #recorder: Recorder;
  /** Messages since the request of a snapshot, which may be newer than it. */
  #waiting: string[] | undefined = [];
  #isBehind = false;
  #wake: () => void = () => undefined;

  constructor(response: ServerResponse, recorder: Recorder) {
    this.#response = response;
    this.#recorder = recorder;
  }

  send(text: string): void {
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
        await drained(this.#response, signal);
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
    for (const text of waiting) this.send(text);
  }

  #untilBehind(): Promise<void> {
    if (this.#isBehind) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** Collects live events until they are sent, in bounded memory. */
export class LiveEventBatch {
  #daemon: DaemonView | undefined;
  #fleet: FleetView | null | undefined;
  #approvals: readonly ApprovalView[] | undefined;
  #recording: RecordingView | undefined;
  readonly #removed = new Set<string>();
  readonly #servers = new Map<string, ServerView>();
  readonly #samples = new Map<string, Sample[]>();
  readonly #calls = new BoundedMap<number, CallView>(maxCalls);

  add(event: LiveEvent): void {
    switch (event.type) {
      case 'daemon':
        this.#daemon = event.daemon;
        break;
      case 'fleet':
        this.#fleet = event.fleet;
        break;
      case 'approvals':
        this.#approvals = event.approvals;
        break;
      case 'recording':
        this.#recording = event.recording;
        break;
      case 'server':
        this.#addServer(event);
        break;
      case 'server-removed':
        this.#servers.delete(event.name);
        this.#samples.delete(event.name);
        this.#removed.add(event.name);
        break;
      case 'call':
        this.#calls.set(event.call.id, event.call);
    }
  }

  /** Returns and removes the collected changes. */
  drain(at: number): Changes {
    const changes: Changes = {
      at,
      ...(this.#daemon && { daemon: this.#daemon }),
      ...(this.#fleet !== undefined && { fleet: this.#fleet }),
      ...(this.#approvals && { approvals: this.#approvals }),
      ...(this.#recording && { recording: this.#recording }),
      removed: [...this.#removed],
      servers: [...this.#servers.values()],
      samples: Object.fromEntries(this.#samples),
      calls: [...this.#calls.values()],
    };
    this.#daemon = undefined;
    this.#fleet = undefined;
    this.#approvals = undefined;
    this.#recording = undefined;
    for (const collected of [this.#removed, this.#servers, this.#samples, this.#calls]) collected.clear();
    return changes;
  }

  #addServer({ server, sample }: Extract<LiveEvent, { readonly type: 'server' }>): void {
    this.#servers.set(server.name, server);
    if (!sample) return;
    const samples = this.#samples.get(server.name) ?? [];
    this.#samples.set(server.name, samples);
    samples.push(sample);
    if (samples.length > maxSamples) samples.shift();
  }
}
