import { BoundedBody, type QueueBounds } from './bounded-body.js';

export interface ResponseWatch {
  /** Called once when the body has been taken to its end, or has failed or is not wanted any more. */
  readonly onEnd: (isTaken: boolean) => void;
  /** Called before that if whoever reads it is too slow, with why. */
  readonly onDropped?: ((reason: Error) => void) | undefined;
}

/** The same response, whose body waits for its reader only up to a bound: then it is given up, and so is what makes it. */
export function withBounds(response: Response, bounds: QueueBounds, { onEnd, onDropped }: ResponseWatch): Response {
  if (response.body === null) {
    onEnd(true);
    return response;
  }
  const isEventStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const body = new BoundedBody(response.body, { ...bounds, isEventStream }, { onEnd, onDropped });
  const { status, statusText, headers } = response;
  return new Response(body.stream, { status, statusText, headers });
}
