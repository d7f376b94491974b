import { type HttpAnswer, refuse, type WholeWatch } from '../http-answers.js';
import { PIECE_BYTES, type QueueBounds } from '../queue-bounds.js';
import { type BodyWatch, BoundedBody } from './bounded-body.js';
import type { Waiting } from './waiting-bytes.js';

export interface AnswerTerms extends BodyWatch {
  /** The id of the request, for the error in place of an answer that there is no room for. */
  readonly id: string | number | null;
}

/**
 * Returns the same answer with bounds on what waits for its reader. A body that is a stream ends at a bound, and so does
 * its source. A large text counts as a whole until it is sent; without room for it the answer is an error instead.
 */
export function withBounds(answer: HttpAnswer, bounds: QueueBounds, { id, ...watch }: AnswerTerms): HttpAnswer {
  const { body } = answer;
  if (body instanceof ReadableStream) {
    const isEventStream = answer.headers['content-type']?.startsWith('text/event-stream') ?? false;
    return answer.with({ body: new BoundedBody(body, { ...bounds, isEventStream }, watch).stream });
  }
  const { waiting } = watch;
  const whole: WholeWatch = { ...watch };
  waiting?.evictWith((reason) => {
    watch.onDropped?.(reason);
    whole.abandon?.();
  });
  answer.watch = whole;
  if (body === null || body.length <= PIECE_BYTES || waiting === undefined || holds(waiting, body)) return answer;
  const message = `The result was dropped: ${body.length} characters, and too many bytes wait for this caller already. Read the answers, and make fewer large requests at a time.`;
  watch.onDropped?.(new Error(message));
  const refusal = refuse(200, message, answer.headers, { id });
  refusal.watch = whole;
  return refusal;
}

/** What was admitted before the text was written has room as the text, too. */
function holds(waiting: Waiting, text: string): boolean {
  if (waiting.bytes === 0) return waiting.hold(memoryOf(text));
  waiting.clear();
  waiting.keep(memoryOf(text));
  return !waiting.isClosed;
}

/** A text takes one byte a character if all are ASCII. Where that is not known at once, two count. */
function memoryOf(text: string): number {
  const { Buffer: bytes } = globalThis as { readonly Buffer?: { byteLength(text: string): number } };
  return bytes?.byteLength(text) === text.length ? text.length : 2 * text.length;
}

const UTF8 = new TextEncoder();

/** As a `Response`, whose reader is bounded in the same way whatever the body is. */
export function toResponse({ status, headers, body, watch }: HttpAnswer, bounds: QueueBounds): Response {
  if (typeof body !== 'string') {
    if (body === null) watch?.onEnd(true);
    return new Response(body, { status, headers });
  }
  if (watch === undefined) return new Response(body, { status, headers });
  const whole = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(UTF8.encode(body));
      controller.close();
    },
  });
  // The text is counted; its bytes take its place.
  watch.waiting?.clear();
  const bounded = new BoundedBody(whole, { ...bounds, isEventStream: false }, watch);
  return new Response(bounded.stream, { status, headers });
}
