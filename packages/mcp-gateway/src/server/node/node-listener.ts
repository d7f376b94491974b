import type { IncomingMessage, ServerResponse } from 'node:http';
import { type OptionRows, optionTable, refusePromise } from '@x/internal/options';
import {
  directHandlerOf,
  fromFetchResponse,
  type HttpRequest,
  type HttpResponse,
  RESPOND,
  refuse,
} from '../http-messages.js';
import { stallRow } from '../message-sizes.js';
import { send } from './node-send.js';

const UNREAD_MS = 2_000;

/** A listener for `http.createServer` and frameworks on it. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void;

/** Options of a listener. */
export interface NodeListenerOptions {
  /** Time without progress after which a connection with a pending response ends, in milliseconds. Default 60 000. */
  readonly maxStallMs?: number | undefined;
}

export const listenerRows = { maxStallMs: stallRow } as const satisfies OptionRows<NodeListenerOptions>;
const listenerOptions = optionTable<NodeListenerOptions>()(listenerRows);

/**
 * Puts a handler behind Node's own HTTP server: `http.createServer(toNodeListener(handler))`, or `app.all('/mcp',
 * toNodeListener(handler))` in a framework on it. Uses a body that the framework has already read as `request.body`.
 *
 * @throws {TypeError} naming the option that is unknown or out of bounds.
 */
export function toNodeListener(
  handler: { readonly fetch: (request: Request) => Promise<Response> },
  options?: NodeListenerOptions,
): NodeListener {
  refusePromise('The handler', handler);
  if (typeof Object(handler).fetch !== 'function') {
    throw new TypeError('The handler must be what createRegistryHandler() or gateway.handler() returns');
  }
  const { maxStallMs } = listenerOptions.read(options);
  const answers = directHandlerOf(handler)?.[RESPOND] ?? viaFetch(handler.fetch);
  return (incoming, outgoing) => {
    answer(answers, { incoming, outgoing, maxStallMs }).catch(() => {
      // The connection is gone, or a foreign handler rejected.
      outgoing.destroy();
    });
  };
}

type Answers = (ask: HttpRequest, incoming: IncomingMessage) => Promise<HttpResponse>;

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly maxStallMs: number;
}

async function answer(answers: Answers, { incoming, outgoing, maxStallMs }: Exchange): Promise<void> {
  const url = urlOf(incoming);
  const answered =
    url === undefined
      ? refuse(400, 'The request must have exactly one host, a path and a supported method')
      : await answers(new NodeRequest(url, incoming, outgoing), incoming);
  await send(answered, outgoing, maxStallMs);
  if (!incoming.complete) endUnread(incoming);
}

function viaFetch(fetch: (request: Request) => Promise<Response>): Answers {
  return async (ask, incoming) => fromFetchResponse(await fetch(withBody(ask, incoming)));
}

function withBody(ask: HttpRequest, incoming: IncomingMessage & { readonly body?: unknown }): Request {
  const request = ask.toRequest();
  if (ask.method === 'GET' || ask.method === 'HEAD') return request;
  if (incoming.body !== undefined) return new Request(request, { body: JSON.stringify(incoming.body) });
  // Unread data must still arrive, or the client would never read the response.
  const chunks = incoming.iterator({ destroyOnReturn: false });
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return?.();
      incoming.resume();
    },
  });
  return new Request(request, { body, duplex: 'half' } as RequestInit);
}

/** Receives the remaining body, for a bounded time, so that the client reads the response. */
function endUnread(incoming: IncomingMessage): void {
  const timer = setTimeout(() => incoming.destroy(), UNREAD_MS);
  timer.unref();
  incoming.once('close', () => clearTimeout(timer));
  incoming.resume();
}

/** Methods that a `Request` does not support. */
const UNUSABLE = /^(connect|trace|track)$/i;

/** Returns `undefined` for an ambiguous host, since a choice between two would bypass the check. */
function urlOf({ method = 'GET', url: path = '', headers, rawHeaders }: IncomingMessage): string | undefined {
  const host = headers.host ?? headers[':authority'];
  if (typeof host !== 'string' || host.includes('@') || hostsIn(rawHeaders) !== 1) return undefined;
  const url = `http://${host}${path}`;
  return path.startsWith('/') && !UNUSABLE.test(method) && isUrl(url) ? url : undefined;
}

class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly #incoming: IncomingMessage;
  readonly #headers: IncomingMessage['headers'];
  readonly #outgoing: ServerResponse;
  #gone: AbortController | undefined;

  constructor(url: string, incoming: IncomingMessage, outgoing: ServerResponse) {
    this.method = incoming.method ?? 'GET';
    this.url = url;
    this.#incoming = incoming;
    this.#headers = incoming.headers; // read once, since Node looks for it on each read
    this.#outgoing = outgoing;
  }

  /** Created on read, because sessions outlive the connections of their requests. */
  get signal(): AbortSignal {
    if (this.#gone !== undefined) return this.#gone.signal;
    const gone = new AbortController();
    this.#gone = gone;
    this.onSent(() => {
      if (!this.#outgoing.writableFinished) gone.abort(new Error('The client is gone'));
    });
    return gone.signal;
  }

  header(name: string): string | null {
    const value = this.#headers[name];
    if (value === undefined) return null;
    // Node keeps the first of several, but a proxy may have checked another. Joined, they are no valid token.
    const values = name === 'authorization' ? this.#incoming.headersDistinct[name] : value;
    return typeof values === 'string' ? values : (values ?? []).join(', ');
  }

  readBody(take: (piece: Uint8Array) => boolean): Promise<void> | void {
    return readBody(this.#incoming, take);
  }

  onSent(listener: () => void): void {
    if (this.#outgoing.closed) listener();
    else this.#outgoing.once('close', listener);
  }

  toRequest(): Request {
    const { method, url, signal } = this;
    return new Request(url, { method, headers: headersOf(this.#incoming), signal });
  }
}

/** Caches the last URL: most requests have the same target, and comparing is faster than parsing. */
function isUrl(text: string): boolean {
  if (text === lastUrl) return true;
  if (!URL.canParse(text)) return false;
  lastUrl = text;
  return true;
}

let lastUrl = '';

function hostsIn(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if ((name.length === 4 || name.length === 10) && /^(host|:authority)$/i.test(name)) count++;
  }
  return count;
}

function headersOf(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (name.startsWith(':') || value === undefined) continue;
    for (const each of [value].flat()) headers.append(name, each);
  }
  return headers;
}

/** Leaves unread data to the sender. */
function readBody(
  incoming: IncomingMessage & { readonly body?: unknown },
  take: (piece: Uint8Array) => boolean,
): Promise<void> | void {
  if (incoming.body !== undefined) {
    take(new TextEncoder().encode(JSON.stringify(incoming.body)));
    return;
  }
  // Most bodies arrive together with the headers.
  if (incoming.complete && !incoming.destroyed && incoming.readableFlowing === null) {
    for (let piece = incoming.read(); piece !== null; piece = incoming.read()) if (!take(piece)) return;
    return;
  }
  return new Promise((resolve, reject) => {
    const stop = () => {
      incoming.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
    };
    const onData = (piece: Uint8Array) => {
      if (take(piece)) return;
      stop();
      resolve();
    };
    const onEnd = () => {
      stop();
      resolve();
    };
    const onClose = () => {
      stop();
      reject(new Error('The request is incomplete'));
    };
    if (incoming.readableEnded) onEnd();
    else if (incoming.destroyed) onClose();
    else incoming.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}
