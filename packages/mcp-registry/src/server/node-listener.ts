import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { refuse } from './http-answers.js';

/** How long the rest of a body may go on that nobody reads. */
const UNREAD_MS = 2_000;

/** What `http.createServer` and frameworks on it call. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Puts a handler behind Node's own HTTP server: `http.createServer(toNodeListener(handler))`, or
 * `app.all('/mcp', toNodeListener(handler))` with a framework that passes Node's requests on. A body that such a framework
 * has read already, as `request.body`, is used.
 */
export function toNodeListener(handler: { readonly fetch: (request: Request) => Promise<Response> }): NodeListener {
  return (incoming, outgoing) => {
    answer(handler.fetch, incoming, outgoing).catch(() => {
      // The connection is gone, or the handler broke its promise never to reject: nothing can be said there any more.
      outgoing.destroy();
    });
  };
}

async function answer(
  fetch: (request: Request) => Promise<Response>,
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
  await send(response, outgoing);
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

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) {
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  await pipeline(Readable.fromWeb(response.body as import('node:stream/web').ReadableStream), outgoing);
}
