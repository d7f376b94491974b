// The server `conformance` over Streamable HTTP on a free port of 127.0.0.1. Prints `listening <url>`; exits at the end
// of stdin. `requests`: its tools ask clients with requests of their own.
import type { RequestListener } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createConformanceHandler } from '../../conformance/http.js';
import { serveOnLoopback } from '../../harness/loopback.js';

const asks = process.argv[2] === 'requests' ? 'requests' : 'rounds';
// Cast: the library's request type has `method?: string`, which does not accept Node's `undefined`.
const { origin } = await serveOnLoopback(toNodeHandler(createConformanceHandler({ asks })) as RequestListener);
process.stdout.write(`listening ${origin}/mcp\n`);
process.stdin.on('end', () => process.exit(0)).resume();
