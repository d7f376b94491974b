import type { HttpAnswer } from '../http-answers.js';
import type { QueueBounds } from '../queue-bounds.js';
import { type BodyWatch, BoundedBody } from './bounded-body.js';

/**
 * The same answer. A body that is a stream waits for its reader only up to a bound: then it is given up, and so is what
 * makes it. Any other is whole already, and bounded by whoever sends it.
 */
export function withBounds(answer: HttpAnswer, bounds: QueueBounds, watch: BodyWatch): HttpAnswer {
  if (!(answer.body instanceof ReadableStream)) {
    answer.onEnd = watch.onEnd;
    return answer;
  }
  const isEventStream = answer.headers['content-type']?.startsWith('text/event-stream') ?? false;
  const body = new BoundedBody(answer.body, { ...bounds, isEventStream }, watch);
  return answer.with({ body: body.stream });
}

const UTF8 = new TextEncoder();

/** As a `Response`, whose reader is bounded in the same way whatever the body is. */
export function toResponse({ status, headers, body, onEnd }: HttpAnswer, bounds: QueueBounds): Response {
  if (typeof body !== 'string') {
    if (body === null) onEnd?.(true);
    return new Response(body, { status, headers });
  }
  if (onEnd === undefined) return new Response(body, { status, headers });
  const whole = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(UTF8.encode(body));
      controller.close();
    },
  });
  const bounded = new BoundedBody(whole, { ...bounds, isEventStream: false }, { onEnd });
  return new Response(bounded.stream, { status, headers });
}
