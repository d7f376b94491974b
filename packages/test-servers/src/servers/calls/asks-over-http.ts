// Serves revision 2025-11-25 over Streamable HTTP on a free port of 127.0.0.1, with sessions and SDK 1.x. The tool
// `ask` sends the request `method` to the client; `log` sends the log entry `data`, waiting before and after until two
// calls do. Both use the stream of the call, or with `apart` the general stream. Prints `listening <url>`; exits at the
// end of stdin.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema, ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { serveOnLoopback } from '../../harness/loopback.js';

/** Releases callers in pairs. */
class Pairs {
  #first: (() => void) | undefined;

  async met(): Promise<void> {
    const release = this.#first;
    this.#first = undefined;
    if (release) release();
    else {
      await new Promise<void>((resolve) => {
        this.#first = resolve;
      });
    }
  }
}

const pairs = new Pairs();
const transports = new Map<string, StreamableHTTPServerTransport>();
const { origin } = await serveOnLoopback(async (request, response) => {
  const known = transports.get(String(request.headers['mcp-session-id']));
  await (known ?? (await newSession())).handleRequest(request, response);
});
process.stdout.write(`listening ${origin}/mcp\n`);
process.stdin.on('end', () => process.exit(0)).resume();

async function newSession(): Promise<{
  handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void>;
}> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void transports.set(id, transport),
  });
  const server = new Server({ name: 'asks-over-http', version: '1.0.0' }, { capabilities: { tools: {}, logging: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: ['ask', 'log'].map((name) => ({ name, inputSchema: { type: 'object' as const } })),
  }));
  const text = (value: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { sendRequest, sendNotification }) => {
    const { method, data, apart } = params.arguments ?? {};
    if (params.name === 'log') {
      const entry = { method: 'notifications/message' as const, params: { level: 'error' as const, data } };
      await pairs.met();
      await (apart ? server.notification(entry) : sendNotification(entry));
      await pairs.met();
      return text('logged');
    }
    const request = { method } as Parameters<typeof sendRequest>[0];
    try {
      const asking = apart ? server.request(request, ResultSchema) : sendRequest(request, ResultSchema);
      return text({ result: await asking });
    } catch (error) {
      return text({ error: { code: (error as { code?: number }).code } });
    }
  });
  // The SDK's declarations of its optional callbacks contradict exactOptionalPropertyTypes.
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  return transport;
}
