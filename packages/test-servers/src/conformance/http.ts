import { randomUUID } from 'node:crypto';
import {
  createMcpHandler,
  type EventId,
  type EventStore,
  hostHeaderValidationResponse,
  isLegacyRequest,
  type JSONRPCMessage,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServer,
  originValidationResponse,
  type StreamId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Asks } from './asking-tools.js';
import { createConformanceServer, createShared } from './server.js';

/** Serves both eras at one URL: sessions for the 2025 revisions, one server per request for 2026-07-28. */
export function createConformanceHandler({ asks = 'rounds' }: { readonly asks?: Asks } = {}): {
  fetch: (request: Request) => Promise<Response>;
} {
  const shared = createShared();
  const sessions = new Sessions(() => createConformanceServer(shared, { serves: 'legacy-connection', asks }));
  const modern = createMcpHandler(() => createConformanceServer(shared, { serves: 'request', asks }), {
    legacy: 'reject',
  });
  shared.changes.listen((change) => {
    if ('uri' in change) modern.notify.resourceUpdated(change.uri);
    else if (change.list === 'tools') modern.notify.toolsChanged();
    else modern.notify.promptsChanged();
  });

  return {
    fetch: async (request) => {
      const refused =
        hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
        originValidationResponse(request, localhostAllowedOrigins());
      if (refused) return refused;
      if (new URL(request.url).pathname !== '/mcp') return new Response(null, { status: 404 });
      return (await isLegacyRequest(request)) ? sessions.fetch(request) : modern.fetch(request);
    },
  };
}

/** Reconnection delay for clients, in milliseconds. */
const retryInterval = 100;

/** Serves the 2025 revisions: one server per session, with resumable streams. */
class Sessions {
  readonly #createServer: () => McpServer;
  readonly #transports = new Map<string, WebStandardStreamableHTTPServerTransport>();

  constructor(createServer: () => McpServer) {
    this.#createServer = createServer;
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    const id = request.headers.get('mcp-session-id');
    if (id === null) return this.#open(request);
    const transport = this.#transports.get(id);
    return transport ? transport.handleRequest(request) : refuse(404, 'Session not found');
  };

  /** Only `initialize` opens a session; the transport rejects other requests. */
  async #open(request: Request): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void this.#transports.set(id, transport),
      onsessionclosed: (id) => void this.#transports.delete(id),
      eventStore: new MemoryEventStore(),
      retryInterval,
    });
    await this.#createServer().connect(transport);
    const response = await transport.handleRequest(request);
    if (transport.sessionId === undefined) await transport.close();
    return response;
  }
}

function refuse(status: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_001, message } }, { status });
}

/** Events of one session, for a client that reconnects to a stream. */
class MemoryEventStore implements EventStore {
  readonly #events: { readonly streamId: StreamId; readonly message: JSONRPCMessage }[] = [];

  async storeEvent(streamId: StreamId, message: JSONRPCMessage): Promise<EventId> {
    return String(this.#events.push({ streamId, message }) - 1);
  }

  async getStreamIdForEventId(eventId: EventId): Promise<StreamId | undefined> {
    return this.#events[Number(eventId)]?.streamId;
  }

  async replayEventsAfter(
    lastEventId: EventId,
    { send }: { send: (eventId: EventId, message: JSONRPCMessage) => Promise<void> },
  ): Promise<StreamId> {
    const last = Number(lastEventId);
    const streamId = this.#events[last]?.streamId;
    if (streamId === undefined) throw new RangeError(`There is no event ${lastEventId} in this session`);
    for (const [index, event] of this.#events.entries()) {
      const isPriming = Object.keys(event.message).length === 0;
      if (index > last && event.streamId === streamId && !isPriming) await send(String(index), event.message);
    }
    return streamId;
  }
}
