import type { IncomingMessage, ServerResponse } from 'node:http';
import { refuse } from './http-answers.js';
import { DEFAULT_STALL_MS } from './http-limits.js';
import { checkWhole, MAX_TIMER_MS } from './whole-numbers.js';

/** How long the rest of a body may go on that nobody reads. */
const UNREAD_MS = 2_000;

/** What `http.createServer` and frameworks on it call. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void;

export interface NodeListenerOptions {
  /** How long a client may take nothing of an answer that waits for it, in milliseconds; then its connection ends. Default 60 000. */
  readonly maxStallMs?: number | undefined;
}

/**
 * Puts a handler behind Node's own HTTP server: `http.createServer(toNodeListener(handler))`, or
 * `app.all('/mcp', toNodeListener(handler))` with a framework that passes Node's requests on. A body that such a framework
 * has read already, as `request.body`, is used.
 *
 * @throws {TypeError} naming the option that is out of its bounds.
 */
export function toNodeListener(
  handler: { readonly fetch: (request: Request) => Promise<Response> },
  { maxStallMs = DEFAULT_STALL_MS }: NodeListenerOptions = {},
): NodeListener {
  checkWhole({ maxStallMs }, MAX_TIMER_MS);
  return (incoming, outgoing) => {
    answer({ fetch: handler.fetch, maxStallMs }, incoming, outgoing).catch(() => {
      // The connection is gone, or the handler broke its promise never to reject: nothing can be said there any more.
      outgoing.destroy();
    });
  };
}

async function answer(
  { fetch, maxStallMs }: { readonly fetch: (request: Request) => Promise<Response>; readonly maxStallMs: number },
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort(new Error('The client is gone')));
  const request = toRequest(incoming, gone.signal);
  const response =
    request === undefined
      ? refuse(400, 'The request has no single host, no path or no usable method')
      : await fetch(request);
  await send(response, outgoing, maxStallMs);
  if (!incoming.complete) endUnread(incoming);
}

/** What is still on its way is let in, so that the client comes to read the answer; but it may have no end. */
function endUnread(incoming: IncomingMessage): void {
  const timer = setTimeout(() => incoming.destroy(), UNREAD_MS);
  timer.unref();
  incoming.once('close', () => clearTimeout(timer));
  incoming.resume();
}

/** `undefined` if it cannot be told what host the request is for: a choice between two would be a way around the check. */
function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request | undefined {
  const { method = 'GET', url = '', rawHeaders } = incoming;
  const hosts = rawHeaders.filter((text, index) => index % 2 === 0 && /^(host|:authority)$/i.test(text));
  const host = incoming.headers.host ?? incoming.headers[':authority'];
  if (hosts.length !== 1 || typeof host !== 'string' || !url.startsWith('/') || !URL.canParse(`http://${host}${url}`)) {
    return undefined;
  }
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (name.startsWith(':') || value === undefined) continue;
    for (const each of [value].flat()) headers.append(name, each);
  }
  const hasBody = method !== 'GET' && method !== 'HEAD';
  try {
    return new Request(`http://${host}${url}`, { method, headers, signal, ...(hasBody ? toBody(incoming) : {}) });
  } catch {
    return undefined; // a host with credentials in it, or TRACE
  }
}

function toBody(incoming: IncomingMessage & { readonly body?: unknown }): RequestInit {
  if (incoming.body !== undefined) return { body: JSON.stringify(incoming.body) };
  // What is not read must still arrive, or the client would never come to read the answer.
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
  return { body, duplex: 'half' };
}

async function send(response: Response, outgoing: ServerResponse, maxStallMs: number): Promise<void> {
  // Nobody is there any more to be told, and what makes the answer must learn of it.
  if (outgoing.destroyed) return response.body?.cancel();
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) {
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  const reader = response.body.getReader();
  outgoing.once('close', () => void reader.cancel(new Error('The client is gone')).catch(() => undefined));
  for (;;) {
    const { done, value } = await reader.read();
    if (done || outgoing.destroyed) break;
    if (!outgoing.write(value)) await taken('drain', outgoing, maxStallMs);
  }
  if (outgoing.destroyed) return;
  outgoing.end();
  if (!outgoing.writableFinished) await taken('finish', outgoing, maxStallMs);
}

/** Waits until the client has taken what was written, or is gone; it is sent away if it takes nothing for too long. */
function taken(event: 'drain' | 'finish', outgoing: ServerResponse, maxStallMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => outgoing.destroy(), maxStallMs);
    const settle = () => {
      clearTimeout(timer);
      outgoing.off(event, settle).off('close', settle);
      resolve();
    };
    outgoing.on(event, settle).on('close', settle);
  });
}
