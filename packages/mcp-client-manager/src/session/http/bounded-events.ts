import type { JsonRpcMessage } from '@x/internal/contracts';
import { ByteBuffer } from '../../transport/byte-buffer.js';
import { answerForOversized, oversizedAnswer } from '../../transport/oversized-message.js';
import { readBatch } from '../../transport/read-message.js';
import { tooDeepError, writtenJson } from '../peer/depth-limit.js';

/** Bytes kept from each end of an oversized event. One of the ends contains the id of a response. */
const endBytes = 1_024;
const lineFeed = 10;
const carriageReturn = 13;

interface EventLimits {
  readonly maxBytes: number;
  /** Id of the request whose response stream this is. */
  readonly requestId: string | number | undefined;
  readonly readsBatches?: (() => boolean) | undefined;
  readonly onBytes?: (() => void) | undefined;
  readonly rewriteEvent?: ((event: Uint8Array, requestId: string | number) => Uint8Array) | undefined;
  readonly onStreamEnd?: ((requestId: string | number) => void) | undefined;
}

/**
 * Forwards server-sent events one by one. Replaces an oversized response by an error response with the same event id,
 * so that the stream can be resumed after it. Empties other oversized events.
 */
export function boundedEvents(limits: EventLimits): TransformStream<Uint8Array, Uint8Array> {
  const scanner = new EventScanner(limits);
  const { requestId, rewriteEvent, onStreamEnd } = limits;
  const rewritten = (event: Uint8Array) =>
    requestId === undefined || rewriteEvent === undefined ? event : rewriteEvent(event, requestId);
  return new TransformStream({
    transform: (chunk, controller) => {
      limits.onBytes?.();
      for (const event of scanner.scan(chunk)) {
        for (const bytes of (limits.readsBatches?.() ? eventsOfBatch(event) : undefined) ?? [event]) {
          controller.enqueue(rewritten(bytes));
        }
      }
    },
    flush: () => {
      if (requestId !== undefined) onStreamEnd?.(requestId);
    },
  });
}

class EventScanner {
  readonly #limits: EventLimits;
  readonly #buffer = new ByteBuffer();
  #eventBytes = 0;
  #ends: { readonly head: Buffer; readonly tail: Buffer } | undefined;
  #lineBytes = 0;
  #lineIsReturn = false;

  constructor(limits: EventLimits) {
    this.#limits = limits;
  }

  /** An empty line ends an event. */
  *scan(chunk: Uint8Array): Generator<Uint8Array> {
    let eventStart = 0;
    let lineStart = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, lineStart)) {
      const isBlank = this.#isBlank(chunk.subarray(lineStart, end));
      this.#lineBytes = 0;
      lineStart = end + 1;
      if (!isBlank) continue;
      this.#append(chunk.subarray(eventStart, lineStart));
      yield this.#finishEvent();
      eventStart = lineStart;
    }
    const rest = chunk.subarray(lineStart);
    this.#lineIsReturn = this.#isReturn(rest);
    this.#lineBytes += rest.length;
    if (eventStart < chunk.length) this.#append(chunk.subarray(eventStart));
  }

  #isBlank(rest: Uint8Array): boolean {
    return this.#lineBytes + rest.length === 0 || this.#isReturn(rest);
  }

  /** The current line plus `rest` is a single carriage return. */
  #isReturn(rest: Uint8Array): boolean {
    if (rest.length === 0) return this.#lineBytes === 1 && this.#lineIsReturn;
    return this.#lineBytes === 0 && rest.length === 1 && rest[0] === carriageReturn;
  }

  #append(bytes: Uint8Array): void {
    this.#eventBytes += bytes.length;
    if (this.#ends) {
      const tail = Buffer.concat([this.#ends.tail, bytes.subarray(-endBytes)]);
      this.#ends = { head: this.#ends.head, tail: Buffer.from(tail.subarray(-endBytes)) };
      return;
    }
    this.#buffer.add(bytes);
    if (this.#eventBytes <= this.#limits.maxBytes) return;
    const all = this.#buffer.take();
    this.#ends = { head: Buffer.from(all.subarray(0, endBytes)), tail: Buffer.from(all.subarray(-endBytes)) };
  }

  #finishEvent(): Uint8Array {
    const event = this.#ends ? this.#replacement(this.#ends) : this.#buffer.take();
    this.#ends = undefined;
    this.#eventBytes = 0;
    return event;
  }

  #replacement({ head, tail }: { head: Buffer; tail: Buffer }): Uint8Array {
    const { maxBytes, requestId } = this.#limits;
    const start = head.toString();
    const data = /^data: ?(.*)/m.exec(start)?.[1] ?? '';
    const known = answerForOversized({
      head: data,
      tail: tail.toString().trimEnd(),
      bytes: this.#eventBytes,
      maxBytes,
    });
    const isAnswer = requestId !== undefined && !/"method"\s*:/.test(data);
    const answer = known ?? (isAnswer ? oversizedAnswer(requestId, { maxBytes }) : undefined);
    const id = /^id:.*/m.exec(start)?.[0].trimEnd();
    return Buffer.from(`${id === undefined ? '' : `${id}\n`}data: ${answer ? JSON.stringify(answer) : ''}\n\n`);
  }
}

/**
 * One event per message of a batch. Only the last has the event id: a stream that breaks in between resumes before the
 * batch.
 */
function eventsOfBatch(event: Uint8Array): readonly Uint8Array[] | undefined {
  const fields = Buffer.from(event.buffer, event.byteOffset, event.byteLength)
    .toString()
    .split(/\r\n?|\n/);
  const data = fields.filter((field) => field.startsWith('data:')).map((field) => field.slice('data:'.length));
  const messages = readBatch(data.join('\n'));
  if (!messages) return undefined;
  const id = fields.find((field) => field.startsWith('id:'));
  return messages.map((message, index) => {
    const isLast = index === messages.length - 1;
    return Buffer.from(`${isLast && id !== undefined ? `${id}\n` : ''}data: ${dataOf(message)}\n\n`);
  });
}

/** A response that is too deep becomes an error. */
function dataOf(message: JsonRpcMessage): string {
  const { id, method } = message;
  return (
    writtenJson(message) ?? (method === undefined ? JSON.stringify({ jsonrpc: '2.0', id, error: tooDeepError() }) : '')
  );
}
