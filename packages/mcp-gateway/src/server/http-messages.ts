import { REFUSED } from './methods/results.js';
import type { BodyWatch } from './responses/bounded-body.js';

/** A request, independent of the HTTP stack. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /** @param name - In lower case. */
  header(name: string): string | null;
  /**
   * Calls `take` for each piece of the body, until the end or a `false`: at once if it has arrived. Rejects for an
   * incomplete body.
   */
  readBody(take: (piece: Uint8Array) => boolean): Promise<void> | void;
  /** Calls `listener` once the whole response has been sent, or its client is gone. Default: unknown. */
  onSent?(listener: () => void): void;
  /** The request without a readable body. */
  toRequest(): Request;
}

export function fromFetchRequest(request: Request): HttpRequest {
  return {
    method: request.method,
    url: request.url,
    signal: request.signal,
    header: (name) => request.headers.get(name),
    async readBody(take) {
      const reader = request.body?.getReader();
      if (reader === undefined) return;
      for (;;) {
        const { done, value } = await reader.read();
        if (done || !take(value)) return;
      }
    },
    toRequest: () => request,
  };
}

export type ResponseHeaders = Readonly<Record<string, string>>;

/** A response, independent of the HTTP stack. */
export class HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ResponseHeaders;
  /** A text, encoded pieces, or a stream. */
  readonly body: string | readonly Uint8Array[] | ReadableStream<Uint8Array> | null;
  /** Set for a body that is not a stream: the sender calls `onEnd` once. A stream does so itself. */
  watch: WholeBodyWatch | undefined;

  constructor(status: number, body: HttpResponse['body'], headers: ResponseHeaders = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }

  with(changes: {
    readonly status?: number;
    readonly headers?: ResponseHeaders;
    readonly body?: HttpResponse['body'];
  }) {
    const { status = this.status, headers, body = this.body } = changes;
    return new HttpResponse(status, body, headers === undefined ? this.headers : { ...this.headers, ...headers });
  }
}

export interface WholeBodyWatch extends BodyWatch {
  /** Set by the sender: aborts the response, to free memory for others. */
  abandon?: () => void;
}

export function jsonResponse(
  value: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: ResponseHeaders } = {},
) {
  return new HttpResponse(status, JSON.stringify(value), { 'content-type': 'application/json', ...headers });
}

export function fromFetchResponse({ status, headers, body }: Response): HttpResponse {
  // Each end decides about its own connection.
  const { connection: _, ...kept } = Object.fromEntries(headers);
  return new HttpResponse(status, body, kept);
}

export function refuse(
  status: number,
  message: string,
  headers: ResponseHeaders = {},
  { code = REFUSED, id = null }: { readonly code?: number; readonly id?: string | number | null } = {},
): HttpResponse {
  return jsonResponse({ jsonrpc: '2.0', id, error: { code, message } }, { status, headers });
}

export function idOf(body: unknown): string | number | null {
  const { id } = (body ?? {}) as { readonly id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** A handler's second entrance, without `Request` and `Response`, which cost more than most responses. */
export const RESPOND: unique symbol = Symbol('respond');

export interface DirectHandler {
  /** Never rejects. A body that is a stream is bounded. */
  [RESPOND](ask: HttpRequest): Promise<HttpResponse>;
}

export function directHandlerOf(handler: object): DirectHandler | undefined {
  return RESPOND in handler ? (handler as DirectHandler) : undefined;
}
