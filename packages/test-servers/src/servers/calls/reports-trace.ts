// Returns the trace context of its calls. Serves stdio, or with the argument `http` Streamable HTTP as http-echo does.
import type { RequestListener } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { serveOnLoopback } from '../../harness/loopback.js';

function createServer(headers?: Headers): McpServer {
  const server = new McpServer({ name: 'reports-trace', version: '1.0.0' });
  server.registerTool('trace', { description: 'The trace context of this call as JSON' }, ({ mcpReq }) => {
    const { traceparent, tracestate, baggage }: Readonly<Record<string, unknown>> = mcpReq._meta ?? {};
    const header = headers?.get('traceparent') ?? undefined;
    const text = JSON.stringify({ traceparent, tracestate, baggage, header });
    return { content: [{ type: 'text', text }] };
  });
  server.registerTool('fail', { description: 'Always fails' }, () => ({
    content: [{ type: 'text', text: 'failed as asked' }],
    isError: true,
  }));
  server.registerPrompt('greet', { description: 'A greeting' }, () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
  }));
  server.registerResource('note', 'test://user:password@notes/a?key=secret', {}, ({ href: uri }) => ({
    contents: [{ uri, text: 'a note' }],
  }));
  return server;
}

if (process.argv[2] === 'http') {
  const handler = createMcpHandler(({ requestInfo }) => createServer(requestInfo?.headers));
  // Cast: its request type has no `undefined` as `method`.
  const { origin } = await serveOnLoopback(toNodeHandler(handler) as RequestListener);
  process.stdout.write(`listening ${origin}/mcp\n`);
  process.stdin.resume();
} else {
  serveStdio(() => createServer());
}
process.stdin.on('end', () => process.exit(0));
