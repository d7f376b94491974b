import { createClientManager } from '@x/mcp-client-manager';
import { createTelemetry } from '@x/mcp-client-manager/telemetry';
import { createFleet } from '@x/mcp-fleet';
import { openNatsBus } from '@x/mcp-fleet/nats';
import { createGateway, toNodeListener } from '@x/mcp-gateway';
import { createRegistry } from '@x/mcp-registry';
import { expectNoLeaks, recordTelemetry, serveOnLoopback, startNatsServer, testServer } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { until } from '../helpers/until.js';

const token = 'the-token-of-a-client';
const [SERVER, CLIENT] = [1, 2]; // of SpanKind

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
  await expectNoLeaks();
});

/** A node with telemetry of its own, as on another machine. */
async function openNode(node: string, nats: string, servers: Parameters<typeof createClientManager>[0]) {
  const recorded = recordTelemetry();
  const telemetry = createTelemetry(recorded.api);
  const manager = createClientManager(servers, { telemetry });
  const registry = createRegistry();
  const bus = await openNatsBus({ servers: nats, node });
  const fleet = createFleet({ bus, node, sources: manager.servers() });
  opened.push({ [Symbol.asyncDispose]: () => bus.close() }, manager, registry, {
    [Symbol.asyncDispose]: () => fleet.close(),
  });
  fleet.attachTo(registry);
  await Promise.all([manager.start(), fleet.whenJoined()]);
  const span = (name: string, kind: number) =>
    recorded.spans().find((each) => each.name === name && each.kind === kind);
  return { manager, registry, telemetry, span };
}

test('a trace leads from a client through the gateway and another node to the server', async () => {
  const nats = await startNatsServer();
  opened.push({ [Symbol.asyncDispose]: () => nats.stop() });
  const owner = await openNode('owner', nats.url, { servers: [{ name: 'up', ...testServer('reports-trace') }] });
  const edge = await openNode('edge', nats.url, { servers: [] });
  const { name: tool } = await until(() =>
    edge.registry.list().find(({ name }) => name.startsWith('mcp__up_owner__trace')),
  );
  const gateway = createGateway({ registry: edge.registry, upstreams: edge.manager, telemetry: edge.telemetry });
  opened.push(gateway);
  const { origin, close } = await serveOnLoopback(toNodeListener(gateway.handler({ token })));
  opened.push({ [Symbol.asyncDispose]: close });
  const client = recordTelemetry();
  const headers = { authorization: `Bearer ${token}` };
  const app = createClientManager(
    { servers: [{ name: 'tools', url: `${origin}/mcp`, headers }] },
    { telemetry: createTelemetry(client.api) },
  );
  opened.push(app);

  const { content } = await client.during('the app', () => app.callTool('tools', tool, {}));
  const seen = JSON.parse((content as readonly { readonly text: string }[])[0]?.text ?? '').traceparent;
  const spans = [
    client.spans().find(({ name }) => name === 'the app'),
    client.spans().find(({ name }) => name === `tools/call ${tool}`),
    edge.span(`tools/call ${tool}`, SERVER),
    owner.span('tools/call trace', CLIENT),
  ];
  const ids = spans.map((each) => each?.spanContext());
  expect(new Set(ids.map((each) => each?.traceId)).size).toBe(1);
  expect(spans.slice(1).map((each) => each?.parentSpanContext?.spanId)).toEqual(
    ids.slice(0, 3).map((id) => id?.spanId),
  );
  expect(seen.split('-').slice(1, 3)).toEqual([ids[3]?.traceId, ids[3]?.spanId]);
});
