import { isJsonContentType } from '@modelcontextprotocol/server';
import { isDeeperThan } from '@x/internal/json';
import { type HttpRequest, HttpResponse, refuse } from '../http-messages.js';

interface BodyBounds {
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
}

/** Returns `false` if the caller exceeds its limit. */
type CountBytes = (bytes: number) => boolean;

/** Levels of nesting in a body. Schema validation has the same limit. */
const MAX_DEPTH = 200;
const UTF8 = new TextDecoder('utf-8', { fatal: true });
const NOTHING = new Uint8Array(0);

type Message = { readonly value: object };

/** Parses the text only once, so all later checks see the same value of a repeated key: the last. */
export async function readBody(
  ask: HttpRequest,
  bounds: BodyBounds,
  count: CountBytes,
): Promise<Message | HttpResponse> {
  const contentType = ask.header('content-type');
  if (contentType !== 'application/json') {
    if (!isJsonContentType(contentType)) return refuse(415, 'Content-Type must be application/json');
    if (!isUtf8(contentType)) return refuse(415, 'The charset of Content-Type must be utf-8, or omitted');
  }
  const encoding = ask.header('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    return refuse(415, 'The body must have no Content-Encoding', { 'accept-encoding': 'identity' });
  }
  const { maxBodyBytes } = bounds;
  if (Number(ask.header('content-length')) > maxBodyBytes) return tooLarge(maxBodyBytes);
  const reading = new BodyReading(maxBodyBytes, count);
  const arrival = ask.readBody((piece) => reading.receive(piece));
  const bytes = arrival === undefined ? reading.outcome : await inTime(arrival, reading, bounds);
  return bytes instanceof HttpResponse ? bytes : parse(bytes);
}

/** RFC 8259 8.1. A proxy that honours the parameter would read another text. */
function isUtf8(contentType: string | null): boolean {
  const charsets = [...(contentType ?? '').matchAll(/;\s*charset\s*=\s*"?([^";\s]*)/gi)];
  return charsets.every(([, charset = '']) => /^utf-?8$/i.test(charset));
}

function inTime(
  arrival: Promise<void>,
  reading: BodyReading,
  { bodyTimeoutMs }: BodyBounds,
): Promise<Uint8Array | HttpResponse> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      const late = `The body did not arrive within ${bodyTimeoutMs} milliseconds`;
      resolve(reading.refuse(refuse(408, late, { connection: 'close' })));
    }, bodyTimeoutMs);
    const settle = (outcome: Uint8Array | HttpResponse) => {
      clearTimeout(timer);
      resolve(outcome);
    };
    arrival.then(
      () => settle(reading.outcome),
      () => settle(reading.refuse(refuse(400, 'The body is incomplete'))),
    );
  });
}

class BodyReading {
  readonly #maxBytes: number;
  readonly #count: CountBytes;
  #bytes: Uint8Array = NOTHING;
  #length = 0;
  #refusal: HttpResponse | undefined;

  constructor(maxBytes: number, count: CountBytes) {
    this.#maxBytes = maxBytes;
    this.#count = count;
  }

  get outcome(): Uint8Array | HttpResponse {
    return this.#refusal ?? this.#bytes.subarray(0, this.#length);
  }

  /** Returns `true` if more is needed. */
  receive(piece: Uint8Array): boolean {
    if (this.#refusal !== undefined) return false;
    const length = this.#length + piece.byteLength;
    if (length > this.#maxBytes) {
      this.refuse(tooLarge(this.#maxBytes));
    } else if (!this.#count(piece.byteLength)) {
      this.refuse(
        refuse(429, 'The request bodies of this caller are too large in total; retry later', { 'retry-after': '1' }),
      );
    } else {
      this.#append(piece, length);
    }
    return this.#refusal === undefined;
  }

  /** Keeps the first piece without a copy: most bodies arrive in one. */
  #append(piece: Uint8Array, length: number): void {
    if (this.#length === 0) {
      this.#bytes = piece;
    } else {
      this.#bytes = withCapacity(this.#bytes, length);
      this.#bytes.set(piece, this.#length);
    }
    this.#length = length;
  }

  refuse(answer: HttpResponse): HttpResponse {
    this.#refusal ??= answer;
    return this.#refusal;
  }
}

/** Doubles the buffer: pieces of a single byte must take no more memory than their content. */
function withCapacity(bytes: Uint8Array, length: number): Uint8Array {
  if (length <= bytes.byteLength) return bytes;
  const larger = new Uint8Array(Math.max(length, bytes.byteLength * 2));
  larger.set(bytes);
  return larger;
}

function parse(bytes: Uint8Array): Message | HttpResponse {
  let value: unknown;
  try {
    value = JSON.parse(UTF8.decode(bytes));
  } catch {
    return refuse(400, 'The body is not valid JSON in UTF-8', {}, { code: -32_700 });
  }
  if (isDeeperThan(MAX_DEPTH, value)) {
    return refuse(400, `The body nests deeper than ${MAX_DEPTH} levels`, {}, { code: -32_600 });
  }
  if (typeof value === 'object' && value !== null) return { value };
  return refuse(400, 'The body is not a JSON-RPC message', {}, { code: -32_600 });
}

function tooLarge(maxBodyBytes: number): HttpResponse {
  return refuse(413, `The body is larger than ${maxBodyBytes} bytes`);
}
