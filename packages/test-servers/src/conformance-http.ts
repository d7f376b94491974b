// The server `conformance` over Streamable HTTP on 127.0.0.1, any free port. Prints `listening <url>`; exits at the end
// of stdin.
import type { RequestListener } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createConformanceHandler } from './conformance/http.js';
import { serveOnLoopback } from './harness/loopback.js';

// The cast: its request type requires an absent `method` where node:http has `undefined`.
const { origin } = await serveOnLoopback(toNodeHandler(createConformanceHandler()) as RequestListener);
process.stdout.write(`listening ${origin}/mcp\n`);
process.stdin.on('end', () => process.exit(0)).resume();
