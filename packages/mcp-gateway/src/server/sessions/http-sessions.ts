import type { RegistryView } from '../../registry.js';
import { inBackground } from '../../timers.js';
import type { CallerTurns } from '../caller-turns.js';
import { ClientView } from '../client-view.js';
import { type HttpRequest, type HttpResponse, idOf, refuse } from '../http-messages.js';
import { ClientPeer, type OnError } from '../methods/client-peer.js';
import type { ClientServers } from '../methods/client-server.js';
import { type CallerShares, Share } from '../requests/http-limits.js';
import type { ExchangeEnd } from '../responses/bounded-response.js';
import type { Waiting, WaitingBytes } from '../responses/waiting-bytes.js';
import { SessionEvents } from './session-events.js';
import { SessionTransport } from './session-transport.js';

interface SessionLimits {
  readonly maxSessions: number;
  readonly idleMs: number;
  readonly keepAliveMs: number;
}

interface Session {
  readonly owner: string;
  readonly share: Share;
  readonly view: ClientView;
  readonly peer: ClientPeer;
  readonly transport: SessionTransport;
  readonly events: SessionEvents;
  /** Responses in progress, including an open stream of notifications. */
  open: number;
  idle: ReturnType<typeof setTimeout> | undefined;
}

interface SessionRequest {
  readonly ask: HttpRequest;
  readonly body: unknown;
  readonly owner: string;
  readonly view: RegistryView;
  readonly end: ExchangeEnd;
  readonly waiting: Waiting;
}

/** The sessions of clients before revision 2026-07-28. */
export class HttpSessions {
  /** By id, the least recently used first. */
  readonly #sessions = new Map<string, Session>();
  readonly #servers: ClientServers;
  readonly #limits: SessionLimits;
  readonly #shares: CallerShares;
  readonly #waiting: WaitingBytes;
  readonly #turns: CallerTurns;
  readonly #onError: OnError;
  readonly #opening = new Set<Share>();
  #isClosed = false;

  constructor(
    servers: ClientServers,
    {
      limits,
      shares,
      waiting,
      turns,
      onError,
    }: {
      readonly limits: SessionLimits;
      readonly shares: CallerShares;
      readonly waiting: WaitingBytes;
      readonly turns: CallerTurns;
      readonly onError: OnError;
    },
  ) {
    this.#servers = servers;
    this.#limits = limits;
    this.#shares = shares;
    this.#waiting = waiting;
    this.#turns = turns;
    this.#onError = onError;
  }

  async serve(asked: SessionRequest): Promise<HttpResponse> {
    const { ask, body, owner, view } = asked;
    const id = ask.header('mcp-session-id');
    if (id === null) {
      if (isInitialize(body)) return this.#initialize(asked);
      return refuse(400, 'The request needs the Mcp-Session-Id of an initialize response; send initialize first');
    }
    const session = this.#sessions.get(id);
    // A foreign session is reported as unknown.
    if (session === undefined || session.owner !== owner) {
      return refuse(404, 'The session does not exist or has ended; send initialize again', {}, { code: -32_001 });
    }
    if (Array.isArray(body) && !acceptsBatches(session)) {
      return refuse(400, 'This protocol revision has no batches; send one message per request', {}, { code: -32_600 });
    }
    session.view.replace(view);
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return this.#answer(session, asked);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const session of Array.from(this.#sessions.values())) end(session);
  }

  async #initialize(asked: SessionRequest): Promise<HttpResponse> {
    const { owner, view } = asked;
    const share = new Share(this.#shares, owner);
    if (!share.acquire('sessions') && !(this.#dropIdle(owner) && share.acquire('sessions'))) {
      const message = 'This caller has reached its limit of sessions; end one, or retry later';
      return refuse(429, message, { 'retry-after': '10' }, { id: idOf(asked.body) });
    }
    if (
      this.#sessions.size + this.#opening.size >= this.#limits.maxSessions &&
      !this.#dropIdle(owner) &&
      !this.#dropIdle()
    ) {
      share.release();
      const message = 'The server has reached its limit of sessions; retry later';
      return refuse(503, message, { 'retry-after': '10' }, { id: idOf(asked.body) });
    }
    this.#opening.add(share);
    try {
      const session = this.#open({ owner, view, share });
      const response = await this.#answer(session, asked);
      // The request was refused, or close() ran meanwhile.
      if (session.transport.sessionId === undefined || this.#isClosed) end(session);
      return response;
    } catch (error) {
      share.release();
      throw error;
    } finally {
      this.#opening.delete(share);
    }
  }

  #open({ owner, view: given, share }: { owner: string; view: RegistryView; share: Share }): Session {
    const view = new ClientView(given);
    const { server, end: endServer } = this.#servers.forSession(view, owner);
    const kept = this.#waiting.open(owner);
    const events = new SessionEvents({ waiting: kept });
    const id = crypto.randomUUID();
    const transport: SessionTransport = new SessionTransport({
      id,
      events,
      keepAliveMs: this.#limits.keepAliveMs,
      turns: this.#turns,
      onInitialized: () => {
        this.#sessions.set(id, session);
        this.#opening.delete(share);
      },
      onClosed: () => {
        peer.close(new Error('The session is over'));
        endServer();
        view.end();
        events.clear();
        kept.close();
        share.release();
        clearTimeout(session.idle);
        this.#sessions.delete(id);
      },
    });
    const peer = new ClientPeer(server, transport, this.#onError);
    transport.peer = peer;
    const session: Session = { owner, share, view, peer, transport, events, open: 0, idle: undefined };
    return session;
  }

  #answer(session: Session, { ask, body, end, waiting }: SessionRequest): Promise<HttpResponse> | HttpResponse {
    session.open++;
    clearTimeout(session.idle);
    const ids = requestIds(body);
    end.onOver((isTaken) => {
      session.transport.sent(ids, { isTaken });
      this.#settle(session);
    });
    end.onDropped((reason) => cancelRequests(session, ids, reason));
    return session.transport.answer(ask, body, waiting);
  }

  /** Ends idle sessions, since clients may leave without a message. A client that returns opens another. */
  #settle(session: Session): void {
    session.open--;
    if (session.open > 0 || !this.#sessions.has(session.transport.sessionId ?? '')) return;
    session.idle = inBackground(setTimeout(() => end(session), this.#limits.idleMs));
  }

  /** @param owner - Default: any. */
  #dropIdle(owner?: string): boolean {
    for (const [id, session] of this.#sessions) {
      if (session.open > 0 || (owner !== undefined && session.owner !== owner)) continue;
      // Frees the place before the end, which may take time.
      this.#sessions.delete(id);
      session.share.release();
      end(session);
      return true;
    }
    return false;
  }
}

/** True before revision 2025-06-18, which removed batches. */
function acceptsBatches({ peer }: Session): boolean {
  return (peer.server.revision ?? '') < '2025-06-18';
}

/**
 * Cancels the requests of a client that does not read. A closed connection ends no request: the client may reconnect.
 */
function cancelRequests({ transport }: Session, ids: readonly (string | number)[], reason: Error): void {
  for (const id of ids) transport.cancel(id, reason.message);
}

function requestIds(body: unknown): readonly (string | number)[] {
  const ids: (string | number)[] = [];
  for (const message of Array.isArray(body) ? body : [body]) {
    const id = idOf(message);
    if (id !== null && message.method !== undefined) ids.push(id);
  }
  return ids;
}

function end({ transport }: Session): void {
  transport.close();
}

function isInitialize(body: unknown): boolean {
  const [message, ...others] = Array.isArray(body) ? body : [body];
  return others.length === 0 && (message as { method?: unknown } | null)?.method === 'initialize';
}
