// Has an app, skills, and with --brews an extension that no one knows; in both eras. With --http it serves Streamable HTTP
// on a free port of 127.0.0.1 and prints `listening <url>`. Exits at the end of stdin.
import type { RequestListener } from 'node:http';
import { parseArgs } from 'node:util';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { serveOnLoopback } from '../../harness/loopback.js';
import { extensionServers } from '../../serving/extension-server.js';

const { values } = parseArgs({
  options: { name: { type: 'string', default: 'app' }, brews: { type: 'boolean' }, http: { type: 'boolean' } },
});
const createServer = await extensionServers({ name: values.name, brews: values.brews === true });

if (values.http === true) {
  // Cast: its request type has no `undefined` as `method`.
  const { origin } = await serveOnLoopback(toNodeHandler(createMcpHandler(createServer)) as RequestListener);
  process.stdout.write(`listening ${origin}/mcp\n`);
  process.stdin.resume();
} else serveStdio(createServer);
process.stdin.on('end', () => process.exit(0));
