import { nextTurn } from '../async.js';
import { canonicalJson } from '../json/canonical-json.js';
import { isRecord } from '../json/json-values.js';
import { startOf, toWireText } from '../text.js';
import type { RecordedMessage, Recording } from './recording-file.js';

/** Sends a message to the client. */
export interface ReplayLink {
  send(message: object): void;
}

/** What a client's message leads to: messages of the server in their order. */
interface Exchange {
  readonly method: string;
  readonly params: unknown;
  readonly id: unknown;
  readonly steps: RecordedMessage[];
}

interface Known {
  readonly exchanges: Exchange[];
  /** Times that one of them was played. */
  played: number;
}

interface Playing {
  readonly id: unknown;
  readonly token: unknown;
  readonly isRepeat: boolean;
  readonly link: ReplayLink;
  /** For messages behind the response. */
  readonly outside: ReplayLink;
  readonly signal: AbortSignal;
}

const subscriptionKey = 'io.modelcontextprotocol/subscriptionId';
/** Requests whose params are about the client, and differ from one to the next. */
const matchedByMethod: ReadonlySet<unknown> = new Set(['initialize', 'server/discover']);

/**
 * Plays the server of a recording. A request gets the response to the recorded request with the same method and params,
 * without regard to `_meta`; equal requests get theirs in order, and then the last one again. Progress and server
 * requests come before the response as recorded. A server request waits for any response of the client.
 */
export class Replay {
  readonly #requests = new Map<string, Known>();
  readonly #notifications = new Map<string, Known>();
  readonly #methods = new Map<string, Exchange[]>();
  /** By id of the client. */
  readonly #running = new Map<unknown, AbortController>();
  /** Ids of the client by the recorded ones. */
  readonly #subscriptions = new Map<unknown, unknown>();
  /** Server requests without a response, by id. */
  readonly #open = new Map<unknown, () => void>();
  #serverRequests = 0;

  constructor(recording: Recording) {
    for (const exchange of exchangesIn(recording)) {
      const { method, params, id } = exchange;
      const known = id === undefined ? this.#notifications : this.#requests;
      const key = keyOf(method, params);
      const equal = known.get(key) ?? { exchanges: [], played: 0 };
      equal.exchanges.push(exchange);
      known.set(key, equal);
      if (id === undefined) continue;
      const ofMethod = this.#methods.get(method) ?? [];
      ofMethod.push(exchange);
      this.#methods.set(method, ofMethod);
    }
  }

  /** @param outside - For messages that belong to no request of the client. Default: `link`. */
  receive({ id, method, params }: RecordedMessage, link: ReplayLink, outside: ReplayLink = link): void {
    if (typeof method !== 'string') this.#settle(id);
    else if (method === 'notifications/cancelled' && isRecord(params)) this.#running.get(params.requestId)?.abort();
    else if (id === undefined) this.#playNotification(method, params, outside);
    else if (method === 'ping') link.send({ jsonrpc: '2.0', id, result: {} });
    else this.#playRequest({ id, method, params }, link, outside);
  }

  #settle(id: unknown): void {
    this.#open.get(id)?.();
    this.#open.delete(id);
  }

  #playNotification(method: string, params: unknown, outside: ReplayLink): void {
    const known = this.#notifications.get(keyOf(method, params));
    const exchange = known?.exchanges[known.played];
    if (known === undefined || exchange === undefined) return;
    known.played += 1;
    const signal = this.#begin(exchange);
    const playing = { id: undefined, token: undefined, isRepeat: false, link: outside, outside, signal };
    void this.#play(exchange, playing).finally(() => this.#running.delete(exchange));
  }

  #playRequest(
    { id, method, params }: { readonly id: unknown; readonly method: string; readonly params: unknown },
    link: ReplayLink,
    outside: ReplayLink,
  ): void {
    const known = this.#requests.get(keyOf(method, params));
    const exchange = known?.exchanges[Math.min(known.played, known.exchanges.length - 1)];
    if (known === undefined || exchange === undefined) {
      link.send({ jsonrpc: '2.0', id, error: this.#unknown(method, params) });
      return;
    }
    const isRepeat = known.played >= known.exchanges.length;
    known.played += 1;
    this.#subscriptions.set(exchange.id, id);
    const signal = this.#begin(id);
    void this.#play(exchange, { id, token: tokenOf(params), isRepeat, link, outside, signal }).finally(() =>
      this.#running.delete(id),
    );
  }

  #begin(id: unknown): AbortSignal {
    const running = new AbortController();
    this.#running.set(id, running);
    return running.signal;
  }

  async #play({ steps }: Exchange, { id, token, isRepeat, link, outside, signal }: Playing): Promise<void> {
    let current = link;
    for (const step of steps) {
      if (signal.aborted) return;
      if (step.method === undefined) {
        current.send({ ...step, id });
        current = outside;
      } else if (step.id !== undefined) {
        await this.#request(step, current, signal);
      } else if (step.method === 'notifications/progress') {
        if (token === undefined) continue;
        current.send(withParams(step, { progressToken: token }));
        await nextTurn(); // some clients drop progress that they read together with the response
      } else if (!isRepeat) {
        // A repeated "list changed" would lead to another list, and so on without end.
        this.#notify(step, current);
      }
    }
  }

  #notify(step: RecordedMessage, link: ReplayLink): void {
    const meta = isRecord(step.params) && isRecord(step.params._meta) ? step.params._meta : {};
    const recorded = meta[subscriptionKey];
    const id = this.#subscriptions.get(recorded);
    if (recorded === undefined) link.send(step);
    else if (id !== undefined) link.send(withParams(step, { _meta: { ...meta, [subscriptionKey]: id } }));
  }

  /** Resolves with the response of the client, or when the request ends. */
  async #request(step: RecordedMessage, link: ReplayLink, signal: AbortSignal): Promise<void> {
    this.#serverRequests += 1;
    const id = `replay-${this.#serverRequests}`;
    const settled = new Promise<void>((resolve) => {
      this.#open.set(id, resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    link.send({ ...step, id });
    await settled;
    this.#open.delete(id);
  }

  #unknown(method: string, params: unknown): object {
    const others = this.#methods.get(method);
    if (others === undefined) {
      const known = Array.from(this.#methods, ([name, { length }]) => (length === 1 ? name : `${name} (${length})`));
      return {
        code: -32_601,
        message: `The recording has no "${startOf(method, 200)}". It has ${known.join(', ') || 'none'}`,
      };
    }
    const shown = [...new Set(others.map((exchange) => textOf(exchange.params)))];
    const more = shown.length > 5 ? ` and ${shown.length - 5} more` : '';
    const message = `The recording has no "${method}" with ${textOf(params)}. It has ${shown.slice(0, 5).join(', ')}${more}`;
    return { code: -32_602, message };
  }
}

/** Each request and notification of the client, with what the server sent from then on. */
function exchangesIn({ messages }: Recording): readonly Exchange[] {
  const all: Exchange[] = [];
  /** Requests without a response, oldest first. A subscription has none. */
  const open = new Map<unknown, Exchange>();
  let latest: Exchange | undefined;
  for (const { from, message } of messages) {
    const { id, method, params } = message;
    if (from === 'client') {
      if (typeof method !== 'string') continue; // to a server request
      if (method === 'notifications/cancelled' && isRecord(params)) open.delete(params.requestId);
      latest = { method, params, id, steps: [] };
      all.push(latest);
      if (id !== undefined && method !== 'subscriptions/listen') open.set(id, latest);
    } else if (method === undefined) {
      const exchange = open.get(id) ?? all.find((each) => each.id === id && each.id !== undefined);
      open.delete(id);
      exchange?.steps.push(message);
      latest = exchange ?? latest;
    } else if (method !== 'notifications/cancelled') {
      // The server has withdrawn a request of its own by such a message; a replay has the response by then.
      const token = isRecord(params) ? params.progressToken : undefined;
      const owner = token === undefined ? undefined : [...open.values()].find((each) => tokenOf(each.params) === token);
      (owner ?? [...open.values()].at(-1) ?? latest)?.steps.push(message);
    }
  }
  return all;
}

function keyOf(method: string, params: unknown): string {
  return matchedByMethod.has(method) ? method : `${method} ${canonicalJson(ownParams(params))}`;
}

/** `_meta` has tokens, traces and the client's version. */
function ownParams(params: unknown): object {
  const { _meta, ...own } = isRecord(params) ? params : {};
  return own;
}

function textOf(params: unknown): string {
  const text = toWireText(ownParams(params));
  return text.length > 200 ? `${startOf(text, 200)}…` : text;
}

function tokenOf(params: unknown): unknown {
  return isRecord(params) && isRecord(params._meta) ? params._meta.progressToken : undefined;
}

function withParams(message: RecordedMessage, changes: object): object {
  return { ...message, params: { ...(isRecord(message.params) ? message.params : {}), ...changes } };
}
