import type { Readable, Writable } from 'node:stream';
import { LineScanner, type ScannedLine } from './line-scanner.js';
import { type ChannelListeners, deliver, type LineChannel } from './message-channel.js';
import { answerForOversized } from './oversized-message.js';
import { readableResponse, readBatch, readMessage, withoutMark } from './read-message.js';

/** Other work gets a turn after this many lines. */
const linesBetweenYields = 1_000;

interface StdioChannelOptions {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly maxMessageBytes: number;
}

/**
 * The stdio transport: one JSON message per line. Servers print banners to stdout, so other lines are reported as junk.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export class StdioChannel implements LineChannel {
  readonly #stdin: Writable;
  readonly #stdout: Readable;
  readonly #maxMessageBytes: number;
  #isOpen = true;
  #linesSinceYield = 0;
  #lastByteAt = performance.now();
  #draining: Promise<void> | undefined;

  constructor({ stdin, stdout, maxMessageBytes }: StdioChannelOptions) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#maxMessageBytes = maxMessageBytes;
  }

  listen(listeners: ChannelListeners): void {
    const scanner = new LineScanner({ maxLineBytes: this.#maxMessageBytes });
    this.#stdout.on('data', (chunk: Buffer) => {
      this.#lastByteAt = performance.now();
      const lines = scanner.scan(chunk);
      for (const line of lines) this.#deliver(line, listeners);
      this.#yieldAfter(lines.length);
    });
    // 'close' alone would miss a server that ends its stdout and keeps running, 'end' alone a killed one.
    const onClosed = (): void => {
      if (!this.#isOpen) return;
      this.#isOpen = false;
      listeners.onClosed();
    };
    this.#stdout.once('end', onClosed);
    this.#stdout.once('close', onClosed);
    this.#stdin.once('close', onClosed);
    // Events before the first listener are not repeated.
    if (this.#stdout.readableEnded || this.#stdout.destroyed || this.#stdin.destroyed) onClosed();
  }

  /** A flood from one server must not block the process. */
  #yieldAfter(lines: number): void {
    this.#linesSinceYield += lines;
    if (this.#linesSinceYield < linesBetweenYields) return;
    this.#linesSinceYield = 0;
    this.#stdout.pause();
    setImmediate(() => this.#stdout.resume());
  }

  get lastByteAt(): number {
    return this.#lastByteAt;
  }

  sendLines(text: string): 'accepted' | 'closed' | Promise<void> {
    if (!this.#isOpen || !this.#stdin.writable) return 'closed';
    return this.#stdin.write(text) ? 'accepted' : this.#drained();
  }

  #drained(): Promise<void> {
    this.#draining ??= drained(this.#stdin).then(() => {
      this.#draining = undefined;
    });
    return this.#draining;
  }

  #deliver(line: ScannedLine, { onMessage, onJunk, readsBatches }: ChannelListeners): void {
    if (line.type === 'oversized') {
      const answer = answerForOversized({ ...line, maxBytes: this.#maxMessageBytes });
      if (answer) deliver(onMessage, answer);
      else deliver(onJunk, line.head);
      return;
    }
    const text = withoutMark(line.text);
    if (text.trim() === '') return;
    const message = readMessage(text);
    const messages = message ? [message] : readsBatches?.() ? readBatch(text) : undefined;
    if (!messages) deliver(onJunk, text);
    else for (const each of messages) deliver(onMessage, readableResponse(each));
  }
}

function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done);
      stream.off('close', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('close', done);
  });
}
