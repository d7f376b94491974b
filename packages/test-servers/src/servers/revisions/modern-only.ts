// Serves only revision 2026-07-28: rejects `initialize`, responds to `server/discover`.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { addEchoTools } from '../../serving/sdk-echo-tools.js';

serveStdio(
  () => {
    const server = new McpServer({ name: 'modern-only', version: '1.0.0' });
    addEchoTools(server);
    return server;
  },
  { legacy: 'reject' },
);
process.stdin.on('end', () => process.exit(0));
