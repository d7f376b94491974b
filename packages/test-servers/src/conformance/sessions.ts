import { randomUUID } from 'node:crypto';
import { type McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { MemoryEventStore } from './event-store.js';

/** Reconnection delay for clients, in milliseconds. */
const retryInterval = 100;

/** Serves the 2025 revisions: one server per session, with resumable streams. */
export class Sessions {
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
