import { type HttpResponse, refuse, type WholeBodyWatch } from '../http-messages.js';
import { PIECE_BYTES, type QueueBounds } from '../message-sizes.js';
import { BoundedBody, joined, lengthOf } from './bounded-body.js';
import type { Waiting } from './waiting-bytes.js';

interface ResponseTerms {
  readonly bounds: QueueBounds;
  readonly id: string | number | null;
}

/**
 * Bounds the pending bytes of a response. At a bound a stream ends, and so does its source. Another body counts whole
 * until it is sent; without room, an error replaces it.
 */
export function withBounds(answer: HttpResponse, { bounds, id }: ResponseTerms, watch: WholeBodyWatch): HttpResponse {
  const { body } = answer;
  if (body instanceof ReadableStream) {
    const isEventStream = answer.headers['content-type']?.startsWith('text/event-stream') ?? false;
    return answer.with({ body: new BoundedBody(body, { ...bounds, isEventStream }, watch).stream });
  }
  const { waiting } = watch;
  waiting?.onEviction((reason) => {
    watch.onDropped?.(reason);
    watch.abandon?.();
  });
  answer.watch = watch;
  if (body === null || waiting === undefined || (typeof body === 'string' && body.length <= PIECE_BYTES)) return answer;
  const bytes = typeof body === 'string' ? memoryOf(body) : lengthOf(body);
  if (holds(waiting, bytes)) return answer;
  const message = `A result of ${bytes} bytes was dropped, because too many bytes are pending for this caller. Read the responses, or send fewer large requests at a time.`;
  watch.onDropped?.(new Error(message));
  const refusal = refuse(200, message, answer.headers, { id });
  refusal.watch = watch;
  return refusal;
}

/** A text that was counted before encoding has room as bytes, too. */
function holds(waiting: Waiting, bytes: number): boolean {
  if (waiting.bytes === 0) return waiting.tryAdd(bytes);
  waiting.clear();
  waiting.add(bytes);
  return !waiting.isClosed;
}

/** ASCII takes one byte per character. Counts two for any other text. */
function memoryOf(text: string): number {
  const { Buffer: bytes } = globalThis as { readonly Buffer?: { byteLength(text: string): number } };
  return bytes?.byteLength(text) === text.length ? text.length : 2 * text.length;
}

const UTF8 = new TextEncoder();

/** The body of the `Response` has the same bounds. */
export function toResponse({ status, headers, body, watch }: HttpResponse, bounds: QueueBounds): Response {
  if (body === null || body instanceof ReadableStream) {
    if (body === null) watch?.onEnd(true);
    return new Response(body, { status, headers });
  }
  const bytes = typeof body === 'string' ? UTF8.encode(body) : joined(body, lengthOf(body));
  if (watch === undefined) return new Response(bytes, { status, headers });
  const whole = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  const isAdmitted = (watch.waiting?.bytes ?? 0) > 0;
  const bounded = new BoundedBody(whole, { ...bounds, isEventStream: false, isAdmitted }, watch);
  return new Response(bounded.stream, { status, headers });
}

export class ExchangeEnd {
  readonly #over: ((isTaken: boolean) => void)[] = [];
  readonly #dropped: ((reason: Error) => void)[] = [];

  /** @param listener - `isTaken`: the response was read to its end. */
  onOver(listener: (isTaken: boolean) => void): void {
    this.#over.push(listener);
  }

  /** Called before `onOver` if the response was dropped because its client does not read. */
  onDropped(listener: (reason: Error) => void): void {
    this.#dropped.push(listener);
  }

  /** Idempotent. */
  over(isTaken: boolean): void {
    for (const listener of this.#over.splice(0)) listener(isTaken);
  }

  dropped(reason: Error): void {
    for (const listener of this.#dropped.splice(0)) listener(reason);
  }
}
