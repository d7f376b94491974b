// Streamable HTTP on 127.0.0.1, any free port, both protocol eras. Prints `listening <url>`; leaves at the end of stdin.
import type { RequestListener } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { serveOnLoopback } from './harness/loopback.js';
import { addEchoTools } from './sdk-echo-tools.js';

const handler = createMcpHandler(({ requestInfo }) => {
  const server = new McpServer({ name: 'http-echo', version: '1.0.0' });
  addEchoTools(server);
  const inputSchema = fromJsonSchema<{ name: string }>({
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
  });
  server.registerTool('header', { description: 'A header of this very request', inputSchema }, ({ name }) => ({
    content: [{ type: 'text', text: requestInfo?.headers.get(name) ?? '' }],
  }));
  return server;
});

// The cast: its request type wants an absent `method` where node:http has `undefined`.
const { origin } = await serveOnLoopback(toNodeHandler(handler) as RequestListener);
process.stdout.write(`listening ${origin}/mcp\n`);
process.stdin.on('end', () => process.exit(0)).resume();
