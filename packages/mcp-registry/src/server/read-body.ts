import { isJsonContentType } from '@modelcontextprotocol/server';
import { refuse } from './http-answers.js';

export interface BodyBounds {
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
  /** Counts bytes as they come. `false` if the caller must not have that many under way. */
  readonly count: (bytes: number) => boolean;
}

/** Arguments are held against schemas to this depth, and nothing that is sent has a reason to go beyond. */
const MAX_DEPTH = 200;
const FIRST_BYTES = 16 * 1024;

type Message = { readonly value: object };

/**
 * The JSON value that a request brings, or the answer to one that brings none. Of a name that an object has twice, the
 * last value counts, here and for everything that decides about the request, since the text is read only once.
 */
export async function readBody(request: Request, bounds: BodyBounds): Promise<Message | Response> {
  if (!isJsonContentType(request.headers.get('content-type'))) {
    return refuse(415, 'Content-Type must be application/json');
  }
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    return refuse(415, 'The body must come as it is, with no Content-Encoding', { 'accept-encoding': 'identity' });
  }
  const { maxBodyBytes } = bounds;
  if (Number(request.headers.get('content-length')) > maxBodyBytes) return tooLarge(maxBodyBytes);
  const bytes = request.body === null ? new Uint8Array() : await readInTime(request.body.getReader(), bounds);
  return bytes instanceof Response ? bytes : parse(bytes);
}

/** The reader is left alone when the time is over: what it waits for may never come, and its end may wait for that. */
async function readInTime(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  bounds: BodyBounds,
): Promise<Uint8Array | Response> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isOver = new Promise<Response>((resolve) => {
    const answer = () =>
      resolve(
        refuse(408, `The body did not arrive within ${bounds.bodyTimeoutMs} milliseconds`, { connection: 'close' }),
      );
    timer = setTimeout(answer, bounds.bodyTimeoutMs);
  });
  try {
    return await Promise.race([readAll(reader, bounds), isOver]);
  } finally {
    clearTimeout(timer);
  }
}

/** Never rejects. */
async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { maxBodyBytes, count }: BodyBounds,
): Promise<Uint8Array | Response> {
  let bytes = new Uint8Array(Math.min(FIRST_BYTES, maxBodyBytes));
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (length + value.byteLength > maxBodyBytes) return tooLarge(maxBodyBytes);
      if (!count(value.byteLength)) {
        return refuse(429, 'The requests of this caller are too large together', { 'retry-after': '1' });
      }
      bytes = withRoom(bytes, length + value.byteLength);
      bytes.set(value, length);
      length += value.byteLength;
    }
  } catch {
    return refuse(400, 'The body did not arrive whole');
  }
  return bytes.subarray(0, length);
}

/** As a buffer that doubles: pieces of a single byte must not take more room than what they bring. */
function withRoom(bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  if (length <= bytes.byteLength) return bytes;
  const larger = new Uint8Array(Math.max(length, bytes.byteLength * 2));
  larger.set(bytes);
  return larger;
}

function parse(bytes: Uint8Array): Message | Response {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return refuse(400, 'The body is no JSON in UTF-8', {}, { code: -32_700 });
  }
  if (isDeeper(value, MAX_DEPTH)) {
    return refuse(400, `The body nests deeper than ${MAX_DEPTH} levels`, {}, { code: -32_600 });
  }
  if (typeof value === 'object' && value !== null) return { value };
  return refuse(400, 'The body is no JSON-RPC message', {}, { code: -32_600 });
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof inner === 'object' && isDeeper(inner, depth - 1)) return true;
  }
  return false;
}

function tooLarge(maxBodyBytes: number): Response {
  return refuse(413, `The body is larger than ${maxBodyBytes} bytes`);
}
