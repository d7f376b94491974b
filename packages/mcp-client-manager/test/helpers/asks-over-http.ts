import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema, ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { serveOnLoopback } from '@x/test-servers';

export interface AsksOverHttp extends AsyncDisposable {
  readonly url: string;
}

/**
 * A server of revision 2025-11-25 over Streamable HTTP, with sessions, on the official SDK. Its tool `ask` sends a request to
 * its client on the stream of the call, or, with `apart`, on the one that is for nothing in particular.
 */
export async function startAsksOverHttp(): Promise<AsksOverHttp> {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const { origin, close } = await serveOnLoopback(async (request, response) => {
    const known = transports.get(String(request.headers['mcp-session-id']));
    await (known ?? (await newSession(transports))).handleRequest(request, response);
  });
  return {
    url: `${origin}/mcp`,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...transports.values()].map((transport) => transport.close()));
      await close();
    },
  };
}

async function newSession(transports: Map<string, StreamableHTTPServerTransport>): Promise<{
  handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void>;
}> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void transports.set(id, transport),
  });
  const server = new Server({ name: 'asks-over-http', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [{ name: 'ask', inputSchema: { type: 'object' as const } }],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { sendRequest }) => {
    const { method, apart } = params.arguments ?? {};
    const request = { method } as Parameters<typeof sendRequest>[0];
    const text = (value: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] });
    try {
      const asking = apart ? server.request(request, ResultSchema) : sendRequest(request, ResultSchema);
      return text({ result: await asking });
    } catch (error) {
      return text({ error: { code: (error as { code?: number }).code } });
    }
  });
  // The SDK's own declarations of its optional callbacks are at odds under exactOptionalPropertyTypes.
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  return transport;
}
