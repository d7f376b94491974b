// A gateway on HTTP whose tools answer with large results and long streams; reports its memory, time and queues.
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { answerParent } from './answer-parent.mjs';
import { packageEntry } from './own-packages.mjs';

const MB = 1024 * 1024;
const { createRegistry } = await import(packageEntry('mcp-registry'));
const { createGateway, createHttpServer } = await import(packageEntry('mcp-gateway'));
const registry = createRegistry({ roles: [{ role: 'user', allowedTools: ['large', 'told'] }] });
registry.register({ name: 'large', description: '' }, ({ mb }) => 'x'.repeat(mb * MB));
registry.register({ name: 'told', description: '' }, async ({ mb }, { signal, reportProgress }) => {
  for (let progress = 1; progress <= 3 && !signal.aborted; progress++) {
    await delay(Math.random() * 1_000); // as servers of their own would, not all at once
    // A message of its own each time, which the tool does not keep: what stays in memory is the gateway's.
    if (!signal.aborted) reportProgress({ progress, message: 'x'.repeat(mb * MB) });
  }
  if (!signal.aborted) await once(signal, 'abort').catch(() => undefined);
  return 'over';
});
const reasons = new Map();
const gateway = createGateway({
  registry,
  upstreams: { servers: () => [], events: { on: () => ({ [Symbol.dispose]: () => undefined }) } },
  onError: ({ message }) => {
    const reason = message.replace(/\d+/g, 'N');
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  },
});
const handler = gateway.handler(
  {
    verifyToken: (token) => ({ id: token }),
    maxRequestsPerCaller: 10_000,
  },
  ({ id }) => ({ role: 'user', principal: id }),
);
const server = createHttpServer(handler).listen({ port: 0, host: '127.0.0.1', backlog: 4_096 });
await once(server, 'listening');
const loop = monitorEventLoopDelay({ resolution: 5 });
loop.enable();
let peak = 0;
let most = 0;
let cpu = process.cpuUsage();
const sample = () => {
  peak = Math.max(peak, process.memoryUsage.rss());
  most = Math.max(most, handler.waiting().bytes);
};
setInterval(sample, 20).unref();

answerParent({
  port: () => server.address().port,
  /** Begins a new count of everything. */
  begin: () => {
    peak = 0;
    most = 0;
    cpu = process.cpuUsage();
    loop.reset();
    reasons.clear();
    sample();
  },
  state: () => {
    sample();
    const { user, system } = process.cpuUsage(cpu);
    return {
      peak,
      most,
      left: handler.waiting().bytes,
      cpuMs: (user + system) / 1_000,
      longestTurnMs: loop.max / 1e6,
      reasons: Object.fromEntries(reasons),
    };
  },
  /** What is still referenced, and what the process has not given back to the system. */
  after: () => {
    for (let turn = 0; turn < 4; turn++) globalThis.gc();
    const { rss, heapUsed, external } = process.memoryUsage();
    return { resident: rss, inUse: heapUsed + external };
  },
  close: async () => {
    server.close();
    server.closeAllConnections();
    await gateway.close();
    await registry.close();
  },
});
