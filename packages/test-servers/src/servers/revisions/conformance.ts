// Implements everything that the protocol's conformance suite tests in a server, in both eras.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createConformanceServer, createShared } from '../../conformance/server.js';

const shared = createShared();
serveStdio(({ era }) => createConformanceServer(shared, { serves: `${era}-connection` }));
process.stdin.on('end', () => process.exit(0));
