import type { FetchLike } from '@modelcontextprotocol/client';
import { ByteBuffer } from '../../transport/byte-buffer.js';
import { oversizedAnswer } from '../../transport/oversized-message.js';
import { boundedEvents } from './bounded-events.js';

/** Bodies of error responses are read only for their error code. */
const maxErrorBytes = 64 * 1_024;

interface BoundedFetchOptions {
  readonly maxBytes: number;
  readonly readsBatches?: (() => boolean) | undefined;
  /** Called when a response begins, and for each chunk of a stream. */
  readonly onBytes?: (() => void) | undefined;
  readonly rewriteEvent?: ((event: Uint8Array, requestId: string | number) => Uint8Array) | undefined;
  /** Called when the server ends the response stream of a request, but not when the stream breaks. */
  readonly onStreamEnd?: ((requestId: string | number) => void) | undefined;
  /** Called before a stream is resumed. Returns the request whose stream it is. */
  readonly requestOf?: ((lastEventId: string) => string | number | undefined) | undefined;
}

/**
 * Buffers at most `maxBytes` of one message, even if it is chunked or compressed. Replaces a larger one by an error
 * response.
 */
export function boundedFetch(baseFetch: FetchLike, { requestOf, ...limits }: BoundedFetchOptions): FetchLike {
  const { maxBytes, onBytes } = limits;
  return async (url, init) => {
    const lastEventId = requestOf && new Headers(init?.headers).get('last-event-id');
    const resumed = lastEventId ? requestOf?.(lastEventId) : undefined;
    const response = await baseFetch(url, init);
    onBytes?.();
    const { body, ok, headers } = response;
    if (!body) return response;
    if (!ok) return withBody(response, await readAtMost(body, maxErrorBytes));
    const requestId = resumed ?? requestIdOf(init?.body);
    if (isEventStream(headers)) {
      const stream = body.pipeThrough(boundedEvents({ ...limits, requestId }));
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

/** `Infinity` if unknown, as for a compressed body. */
function declaredBytes(headers: Headers): number {
  const length = headers.get('content-length');
  return length === null || headers.has('content-encoding') ? Number.POSITIVE_INFINITY : Number(length);
}

function isEventStream(headers: Headers): boolean {
  return headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() === 'text/event-stream';
}

function requestIdOf(body: unknown): string | number | undefined {
  if (typeof body !== 'string' || !body.startsWith('{')) return undefined;
  const { id, method } = JSON.parse(body) as { id?: unknown; method?: unknown };
  return method !== undefined && (typeof id === 'string' || typeof id === 'number') ? id : undefined;
}

/** @returns `undefined` if the body is larger; the rest stays unread. */
async function readAll(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const bytes = await readAtMost(body, maxBytes + 1);
  return bytes.length > maxBytes ? undefined : bytes;
}

async function readAtMost(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const buffer = new ByteBuffer();
  for await (const chunk of body) {
    buffer.add(chunk);
    if (buffer.length >= maxBytes) break; // cancels the body
  }
  return buffer.take().subarray(0, maxBytes) as Uint8Array<ArrayBuffer>;
}
