import type { FetchLike } from '@modelcontextprotocol/client';
import { ByteBuffer } from '../transport/byte-buffer.js';
import { oversizedAnswer } from '../transport/oversized-message.js';
import { boundedEvents } from './http-bounded-events.js';

/** What a server says beside an error status is read for its code at most. */
const maxErrorBytes = 64 * 1_024;

export interface BoundedFetchOptions {
  readonly maxBytes: number;
  /** Whether several messages may come as one JSON array in an event. Default: they may not. */
  readonly readsBatches?: (() => boolean) | undefined;
  /** Called when a response begins, and for each piece of a stream. */
  readonly onBytes?: (() => void) | undefined;
  /** Called with each server-sent event that comes in answer to a request; returns the event to pass on. */
  readonly rewriteEvent?: ((event: Uint8Array, requestId: string | number) => Uint8Array) | undefined;
}

/**
 * `fetch` that never holds more than `maxBytes` of one message, also when it comes in pieces or packed. A larger one is
 * replaced by an answer that says so, to the request that this was the response to; the connection goes on.
 */
export function boundedFetch(
  baseFetch: FetchLike,
  { maxBytes, readsBatches, onBytes, rewriteEvent }: BoundedFetchOptions,
): FetchLike {
  return async (url, init) => {
    const response = await baseFetch(url, init);
    onBytes?.();
    const { body, ok, headers } = response;
    if (!body) return response;
    if (!ok) return withBody(response, await readAtMost(body, maxErrorBytes));
    const requestId = requestIdOf(init?.body);
    if (isEventStream(headers)) {
      const stream = body.pipeThrough(boundedEvents({ maxBytes, requestId, readsBatches, onBytes, rewriteEvent }));
      return withBody(response, stream as ReadableStream<Uint8Array<ArrayBuffer>>);
    }
    if (declaredBytes(headers) <= maxBytes) return response;
    const text = await readAll(body, maxBytes);
    if (text) return withBody(response, text);
    if (requestId === undefined) throw new Error(`The response has more than ${maxBytes} bytes`);
    return withBody(response, JSON.stringify(oversizedAnswer(requestId, { maxBytes })));
  };
}

function withBody(
  { status, statusText, headers }: Response,
  body: ConstructorParameters<typeof Response>[0],
): Response {
  return new Response(body, { status, statusText, headers });
}

/** HTTP ends a body at its declared length. A packed one may become of any size. */
function declaredBytes(headers: Headers): number {
  const length = headers.get('content-length');
  return length === null || headers.has('content-encoding') ? Number.POSITIVE_INFINITY : Number(length);
}

function isEventStream(headers: Headers): boolean {
  return headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() === 'text/event-stream';
}

/** The id of the one request in a body that this side wrote. */
function requestIdOf(body: unknown): string | number | undefined {
  if (typeof body !== 'string' || !body.startsWith('{')) return undefined;
  const { id, method } = JSON.parse(body) as { id?: unknown; method?: unknown };
  return method !== undefined && (typeof id === 'string' || typeof id === 'number') ? id : undefined;
}

/** @returns `undefined` when there is more than that; the rest is not read. */
async function readAll(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const bytes = await readAtMost(body, maxBytes + 1);
  return bytes.length > maxBytes ? undefined : bytes;
}

async function readAtMost(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const held = new ByteBuffer();
  for await (const chunk of body) {
    held.add(chunk);
    if (held.length >= maxBytes) break; // leaving the loop cancels the body
  }
  return held.take().subarray(0, maxBytes) as Uint8Array<ArrayBuffer>;
}
