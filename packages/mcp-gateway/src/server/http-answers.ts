import type { BodyWatch } from './answers/bounded-body.js';

export type AnswerHeaders = Readonly<Record<string, string>>;

/** An answer to a request, whatever it goes out by. */
export class HttpAnswer {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: AnswerHeaders;
  /** Whole as a text or as encoded pieces, or a stream. */
  readonly body: string | readonly Uint8Array[] | ReadableStream<Uint8Array> | null;
  /** Of a body that is whole, or none: whoever sends it calls `onEnd` once. A stream does so itself. */
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

/** What is told about a body that is whole. */
export interface WholeWatch extends BodyWatch {
  /** Set by whoever sends the body: ends that, because others need the room. */
  abandon?: () => void;
}

export function answerJson(
  value: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: AnswerHeaders } = {},
) {
  return new HttpAnswer(status, JSON.stringify(value), { 'content-type': 'application/json', ...headers });
}

export function fromResponse({ status, headers, body }: Response): HttpAnswer {
  // How long the connection goes on is for those at its two ends to say, and the client may have said so already.
  const { connection: _, ...kept } = Object.fromEntries(headers);
  return new HttpAnswer(status, body, kept);
}

/** An answer to a request that never came to be one of the protocol. */
export function refuse(
  status: number,
  message: string,
  headers: AnswerHeaders = {},
  { code = -32_000, id = null }: { readonly code?: number; readonly id?: string | number | null } = {},
): HttpAnswer {
  return answerJson({ jsonrpc: '2.0', id, error: { code, message } }, { status, headers });
}

/** The id of the request that an answer is to, where that can be told. */
export function idOf(body: unknown): string | number | null {
  const { id } = (body ?? {}) as { readonly id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
