import type { Readable, Writable } from 'node:stream';
import { deliver } from './deliver.js';
import { LineScanner, type ScannedLine } from './line-scanner.js';
import type { ChannelListeners, LineChannel } from './message-channel.js';
import { answerForOversized } from './oversized-message.js';
import { readBatch, readMessage, withoutMark } from './read-message.js';
import { readableAnswer } from './readable-response.js';

/** Lines that are read before everything else has its turn. */
const linesBetweenRests = 1_000;

export interface StdioChannelOptions {
  /** The server's stdin: what is sent goes here. */
  readonly stdin: Writable;
  /** The server's stdout: what is received comes from here. */
  readonly stdout: Readable;
  readonly maxMessageBytes: number;
}

/**
 * The stdio transport of the specification: one JSON message a line. Lines that are no message are reported as junk and
 * skipped, since servers do print banners to stdout.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export class StdioChannel implements LineChannel {
  readonly #stdin: Writable;
  readonly #stdout: Readable;
  readonly #maxMessageBytes: number;
  #isOpen = true;
  #linesSinceRest = 0;
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
      this.#rest(lines.length);
    });
    // 'close' alone would miss a server that ends its stdout and goes on living, 'end' alone one that was killed.
    const onClosed = (): void => {
      if (!this.#isOpen) return;
      this.#isOpen = false;
      listeners.onClosed();
    };
    this.#stdout.once('end', onClosed);
    this.#stdout.once('close', onClosed);
    this.#stdin.once('close', onClosed);
    // What happened before anybody listened is not told again.
    if (this.#stdout.readableEnded || this.#stdout.destroyed || this.#stdin.destroyed) onClosed();
  }

  /** Lets others have their turn after many lines: a server that never stops talking would hold everything up. */
  #rest(lines: number): void {
    this.#linesSinceRest += lines;
    if (this.#linesSinceRest < linesBetweenRests) return;
    this.#linesSinceRest = 0;
    this.#stdout.pause();
    setImmediate(() => this.#stdout.resume());
  }

  get lastByteAt(): number {
    return this.#lastByteAt;
  }

  sendLines(text: string): 'taken' | 'closed' | Promise<void> {
    if (!this.#isOpen || !this.#stdin.writable) return 'closed';
    return this.#stdin.write(text) ? 'taken' : this.#drained();
  }

  /** One for all who wait, so that a hundred large messages do not leave a hundred listeners on the stream. */
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
    else for (const each of messages) deliver(onMessage, readableAnswer(each));
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
