import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Tools } from '@x/mcp';
import { mountRegistry } from '@x/mcp-gateway/sdk-v1';

/** The caller of `Authorization`. */
export interface Caller {
  readonly id: string;
  readonly role: string;
}

interface Session {
  readonly caller: Caller;
  readonly server: McpServer;
  readonly transport: StreamableHTTPServerTransport;
}

/** One server object for each client, as SDK 1.x wants it, all of them over the same tools. */
export class Sessions {
  readonly #sessions = new Map<string, Session>();
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** A session belongs to whoever has opened it. */
  find(id: string, caller: Caller): StreamableHTTPServerTransport | undefined {
    const session = this.#sessions.get(id);
    return session?.caller.id === caller.id ? session.transport : undefined;
  }

  async open(caller: Caller): Promise<StreamableHTTPServerTransport> {
    const server = this.#createServer(caller);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void this.#sessions.set(id, { caller, server, transport }),
      onsessionclosed: (id) => void this.#sessions.delete(id),
    });
    await server.connect(transport);
    return transport;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ server }) => server.close()));
    this.#sessions.clear();
  }

  // #region mount
  #createServer({ id, role }: Caller): McpServer {
    const server = new McpServer({ name: 'notes', version: '1.0.0' });
    server.registerTool('who_am_i', { description: 'Tells who the app takes you for.' }, () => ({
      content: [{ type: 'text', text: `${id}, ${role}` }],
    }));
    mountRegistry(server, this.#tools.as(role, { principal: id }));
    return server;
  }
  // #endregion mount
}
