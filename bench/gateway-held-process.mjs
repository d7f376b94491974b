// A gateway of ours on HTTP with one server behind it, `node gateway-held-process.mjs SERVER`, which tells what it holds.
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { queryObjects } from 'node:v8';
import { answerParent } from './answer-parent.mjs';
import { openGateway } from './own-gateway.mjs';
import { packageDependency } from './own-packages.mjs';

const opened = await openGateway([JSON.parse(process.argv[2])]);
const http = await opened.serveHttp({ token: process.env.GATEWAY_TOKEN });
// One of these is behind each session, and behind each request of the 2026-07-28 revision while it is answered.
const { McpServer } = await import(packageDependency('mcp-gateway', '@modelcontextprotocol/server/dist/index.mjs'));

answerParent({
  url: () => http.url,

  held: async () => {
    for (let turn = 0; turn < 4; turn++) globalThis.gc();
    const { rss, heapUsed, external } = process.memoryUsage();
    return {
      residentKb: Math.round(rss / 1_024),
      heapKb: Math.round((heapUsed + external) / 1_024),
      connections: await promisify((done) => http.server.getConnections(done))(),
      openFiles: process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0,
      protocolServers: queryObjects(McpServer, { format: 'count' }),
      streams: queryObjects(ReadableStream, { format: 'count' }),
      timers: process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length,
    };
  },

  close: async () => {
    http.server.close();
    http.server.closeAllConnections();
    await opened.close();
  },
});
