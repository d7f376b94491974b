// Sends server requests during a call: sampling, elicitation with a form and with a URL, roots. Uses SDK 1.x.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: 'asks-host', version: '1.0.0' });
const { server: protocol } = server;
const text = (value: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] });
const question = {
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Well?' } }],
  maxTokens: 10,
};
const anyResult = z.looseObject({});
/** Notifications of changed roots. */
let rootsChanges = 0;
let initializedRoots: unknown;

protocol.oninitialized = () => {
  if (protocol.getClientCapabilities()?.roots === undefined) return;
  protocol.listRoots().then(
    (result) => {
      initializedRoots = result;
    },
    () => undefined,
  );
};
protocol.fallbackNotificationHandler = async ({ method }) => {
  if (method === 'notifications/roots/list_changed') rootsChanges += 1;
};

server.registerTool('host_capabilities', { description: 'What the host announced' }, async () =>
  text(protocol.getClientCapabilities()),
);
server.registerTool('early_roots', { description: 'The roots as asked for at once' }, async () =>
  text(initializedRoots),
);
server.registerTool('roots_changes', { description: 'Notices of changed roots so far' }, async () =>
  text(rootsChanges),
);
server.registerTool(
  'ask',
  {
    description: 'Sends a request to the host and answers what came of it',
    inputSchema: { method: z.string(), params: z.looseObject({}).optional(), cancelAfterMs: z.number().optional() },
  },
  async ({ method, params, cancelAfterMs }) => {
    const signal = cancelAfterMs === undefined ? undefined : AbortSignal.timeout(cancelAfterMs);
    try {
      const request = { method, ...(params && { params }) } as Parameters<typeof protocol.request>[0];
      return text({ result: await protocol.request(request, anyResult, { ...(signal && { signal }) }) });
    } catch (error) {
      const { code, message, data } = error as { code?: number; message: string; data?: unknown };
      return text({ error: { code, message, data } });
    }
  },
);
server.registerTool('sample', { description: 'Lets the host answer a question' }, async () =>
  text(await protocol.createMessage(question)),
);

await server.connect(new StdioServerTransport());
process.stdin.on('end', () => process.exit(0));
