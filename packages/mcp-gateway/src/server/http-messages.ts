import type { BodyWatch } from './answers/bounded-body.js';
import { REFUSED } from './methods/responses.js';

/** A request, independent of the HTTP stack. */
export interface HttpAsk {
  readonly method: string;
  readonly url: string;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /** @param name - In lower case. */
  header(name: string): string | null;
  /** Calls `take` for each piece of the body, until the end or a `false`. Rejects for an incomplete body. */
  readBody(take: (piece: Uint8Array) => boolean): Promise<void>;
  /** The request without a readable body. */
  toRequest(): Request;
}

export function askOf(request: Request): HttpAsk {
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

export type AnswerHeaders = Readonly<Record<string, string>>;

/** A response, independent of the HTTP stack. */
export class HttpAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: AnswerHeaders;
  /** A text, encoded pieces, or a stream. */
  readonly body: string | readonly Uint8Array[] | ReadableStream<Uint8Array> | null;
  /** Set for a body that is not a stream: the sender calls `onEnd` once. A stream does so itself. */
  watch: WholeWatch | undefined;

  constructor(status: number, body: HttpAnswer['body'], headers: AnswerHeaders = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }

  with(changes: { readonly status?: number; readonly headers?: AnswerHeaders; readonly body?: HttpAnswer['body'] }) {
    const { status = this.status, headers, body = this.body } = changes;
    return new HttpAnswer(status, body, headers === undefined ? this.headers : { ...this.headers, ...headers });
  }
}

export interface WholeWatch extends BodyWatch {
  /** Set by the sender: aborts the response, to free memory for others. */
  abandon?: () => void;
}

export function answerJson(
  value: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: AnswerHeaders } = {},
) {
  return new HttpAnswer(status, JSON.stringify(value), { 'content-type': 'application/json', ...headers });
}

export function fromResponse({ status, headers, body }: Response): HttpAnswer {
  // Each end decides about its own connection.
  const { connection: _, ...kept } = Object.fromEntries(headers);
  return new HttpAnswer(status, body, kept);
}

export function refuse(
  status: number,
  message: string,
  headers: AnswerHeaders = {},
  { code = REFUSED, id = null }: { readonly code?: number; readonly id?: string | number | null } = {},
): HttpAnswer {
  return answerJson({ jsonrpc: '2.0', id, error: { code, message } }, { status, headers });
}

export function idOf(body: unknown): string | number | null {
  const { id } = (body ?? {}) as { readonly id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** A handler's second entrance, without `Request` and `Response`, which cost more than most responses. */
export const ANSWER: unique symbol = Symbol('answer');

export interface NodeFace {
  /** Never rejects. A body that is a stream is bounded. */
  [ANSWER](ask: HttpAsk): Promise<HttpAnswer>;
}

export function nodeFaceOf(handler: object): NodeFace | undefined {
  return ANSWER in handler ? (handler as NodeFace) : undefined;
}
