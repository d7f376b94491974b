import { type McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { RegistryView } from '../view.js';
import type { ConnectionFactory } from './connection-factory.js';
import { HeldView } from './held-view.js';
import { refuse } from './http-answers.js';
import { withEnd } from './open-response.js';

export interface SessionLimits {
  readonly maxSessions: number;
  readonly idleMs: number;
  readonly keepAliveMs: number;
}

interface Session {
  readonly owner: string;
  readonly view: HeldView;
  readonly server: McpServer;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Answers that are being sent; an open stream of notifications is one. */
  open: number;
  idle: ReturnType<typeof setTimeout> | undefined;
}

/** A request of the revisions before 2026-07-28, with its body read. */
export interface SessionRequest {
  readonly request: Request;
  readonly body: unknown;
  readonly owner: string;
  readonly view: RegistryView;
}

/** The sessions of clients of the revisions before 2026-07-28, which are told of changes through them. */
export class HttpSessions {
  /** By id, the one that was used longest ago first. */
  readonly #sessions = new Map<string, Session>();
  readonly #connections: ConnectionFactory;
  readonly #limits: SessionLimits;
  #isClosed = false;

  constructor(connections: ConnectionFactory, limits: SessionLimits) {
    this.#connections = connections;
    this.#limits = limits;
  }

  async serve({ request, body, owner, view }: SessionRequest): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) {
      if (isInitialize(body)) return this.#initialize({ request, body, owner, view });
      return refuse(400, 'This needs the Mcp-Session-Id that initialize was answered with; call initialize first');
    }
    const session = this.#sessions.get(id);
    // Somebody else's session is answered as one that there is not.
    if (session === undefined || session.owner !== owner) {
      return refuse(404, 'There is no such session, or not any more; call initialize again', {}, -32_001);
    }
    session.view.replace(view);
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return this.#answer(session, request, body);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(Array.from(this.#sessions.values(), end));
  }

  async #initialize({ request, body, owner, view }: SessionRequest): Promise<Response> {
    if (this.#sessions.size >= this.#limits.maxSessions && !this.#dropIdle()) {
      return refuse(503, 'There are as many sessions as this server takes; try again later', { 'retry-after': '10' });
    }
    const session = await this.#open(owner, view);
    const response = await this.#answer(session, request, body);
    // The request was refused, or the end has come in between.
    if (session.transport.sessionId === undefined || this.#isClosed) await end(session);
    return response;
  }

  async #open(owner: string, given: RegistryView): Promise<Session> {
    const view = new HeldView(given);
    const { server, end: endConnection } = this.#connections.forSession(view);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void this.#sessions.set(id, session),
      keepAliveMs: this.#limits.keepAliveMs,
    });
    const session: Session = { owner, view, server, transport, open: 0, idle: undefined };
    server.server.onclose = () => {
      endConnection();
      view.end();
      clearTimeout(session.idle);
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
    };
    await server.connect(transport);
    return session;
  }

  async #answer(session: Session, request: Request, body: unknown): Promise<Response> {
    session.open++;
    clearTimeout(session.idle);
    try {
      const parsed = body === undefined ? {} : { parsedBody: body };
      return withEnd(await session.transport.handleRequest(request, parsed), () => this.#settle(session));
    } catch (error) {
      this.#settle(session);
      throw error;
    }
  }

  /** A client may go without a word. What nobody uses for long is given up; a client that comes back opens another. */
  #settle(session: Session): void {
    session.open--;
    if (session.open > 0 || !this.#sessions.has(session.transport.sessionId ?? '')) return;
    session.idle = setTimeout(() => void end(session), this.#limits.idleMs);
    // Not a reason to keep the process; other runtimes have no such notion.
    (session.idle as { unref?: () => void }).unref?.();
  }

  #dropIdle(): boolean {
    for (const session of this.#sessions.values()) {
      if (session.open > 0) continue;
      void end(session);
      return true;
    }
    return false;
  }
}

async function end({ server, view, idle }: Session): Promise<void> {
  clearTimeout(idle);
  view.end();
  await server.close();
}

function isInitialize(body: unknown): boolean {
  const [message, ...others] = Array.isArray(body) ? body : [body];
  return others.length === 0 && (message as { method?: unknown } | null)?.method === 'initialize';
}
