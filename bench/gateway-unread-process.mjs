// A gateway on HTTP whose tools answer with large results and long streams, which tells how much memory it takes.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { answerParent } from './answer-parent.mjs';
import { packageEntry } from './own-packages.mjs';

const MB = 1024 * 1024;
const { createRegistry } = await import(packageEntry('mcp-registry'));
const { createGateway, createHttpServer } = await import(packageEntry('mcp-registry', 'server'));
const registry = createRegistry({ roles: [{ role: 'user', allowedTools: ['large', 'told'] }] });
registry.register({ name: 'large', description: '' }, ({ mb }) => 'x'.repeat(mb * MB));
registry.register({ name: 'told', description: '' }, async ({ mb }, { signal, reportProgress }) => {
  const message = 'x'.repeat(mb * MB);
  for (let progress = 1; progress <= 3 && !signal.aborted; progress++) {
    await delay(Math.random() * 1_000); // as servers of their own would, not all at once
    if (!signal.aborted) reportProgress({ progress, message });
  }
  if (!signal.aborted) await once(signal, 'abort').catch(() => undefined);
  return 'over';
});
const gateway = createGateway({
  registry,
  upstreams: { servers: () => [], events: { on: () => ({ [Symbol.dispose]: () => undefined }) } },
});
const handler = gateway.handler(
  { verifyToken: (token) => ({ id: token }), maxRequestsPerCaller: 10_000 },
  ({ id }) => ({ role: 'user', principal: id }),
);
const server = createHttpServer(handler).listen({ port: 0, host: '127.0.0.1', backlog: 4_096 });
await once(server, 'listening');
let peak = 0;
const sample = () => {
  const { rss } = process.memoryUsage();
  peak = Math.max(peak, rss);
  return rss;
};
setInterval(sample, 20).unref();

answerParent({
  url: () => `http://127.0.0.1:${server.address().port}/mcp`,
  begin: () => {
    peak = 0;
    return sample();
  },
  state: () => {
    const resident = sample();
    return { resident, peak, waiting: handler.waiting?.() ?? { bytes: 0, callers: 0, evicted: 0 } };
  },
  after: () => {
    for (let turn = 0; turn < 4; turn++) globalThis.gc();
    return sample();
  },
  close: async () => {
    server.close();
    server.closeAllConnections();
    await gateway.close();
    await registry.close();
  },
});
