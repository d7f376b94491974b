// Serves both protocol eras over Streamable HTTP on a free port of 127.0.0.1. Prints `listening <url>`; exits at the
// end of stdin.
import type { RequestListener } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { serveOnLoopback } from '../../harness/loopback.js';
import { addEchoTools } from '../../serving/sdk-echo-tools.js';

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

// Cast: its request type has no `undefined` as `method`.
const { origin } = await serveOnLoopback(toNodeHandler(handler) as RequestListener);
process.stdout.write(`listening ${origin}/mcp\n`);
process.stdin.on('end', () => process.exit(0)).resume();
