import type { IncomingMessage, ServerResponse } from 'node:http';
import { type OptionRows, optionTable } from '@x/internal/options';
import { fromResponse, type HttpAnswer, refuse } from '../http-answers.js';
import type { HttpAsk } from '../http-ask.js';
import { stallRow } from '../queue-bounds.js';
import { askOfNode } from './node-ask.js';
import { ANSWER, nodeFaceOf } from './node-face.js';
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
  const { maxStallMs } = listenerOptions.read(options);
  const answers = nodeFaceOf(handler)?.[ANSWER] ?? viaFetch(handler.fetch);
  return (incoming, outgoing) => {
    answer(answers, { incoming, outgoing, maxStallMs }).catch(() => {
      // The connection is gone, or a foreign handler rejected.
      outgoing.destroy();
    });
  };
}

type Answers = (ask: HttpAsk, incoming: IncomingMessage) => Promise<HttpAnswer>;

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly maxStallMs: number;
}

async function answer(answers: Answers, { incoming, outgoing, maxStallMs }: Exchange): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) gone.abort(new Error('The client is gone'));
  });
  const ask = askOfNode(incoming, gone.signal);
  const answered =
    ask === undefined
      ? refuse(400, 'The request has no single host, no path or no usable method')
      : await answers(ask, incoming);
  await send(answered, outgoing, maxStallMs);
  if (!incoming.complete) endUnread(incoming);
}

function viaFetch(fetch: (request: Request) => Promise<Response>): Answers {
  return async (ask, incoming) => fromResponse(await fetch(withBody(ask, incoming)));
}

function withBody(ask: HttpAsk, incoming: IncomingMessage & { readonly body?: unknown }): Request {
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
