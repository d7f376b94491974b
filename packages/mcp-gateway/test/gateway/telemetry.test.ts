import { once } from 'node:events';
import { createRegistry } from '@x/mcp-registry';
import { expectNoLeaks, failingApi, type RecordedApi, recordTelemetry } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { createGateway } from '../../src/gateway/gateway.js';
import { createTelemetry } from '../../src/telemetry.js';
import { connectRaw, post } from './helpers/raw-clients.js';
import { createWorker, upstreamsOf } from './helpers/worker.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
  await expectNoLeaks();
});

const token = 'the-token-of-a-client';
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

async function openGateway(change: (api: RecordedApi) => RecordedApi = (api) => api) {
  const recorded = recordTelemetry();
  const registry = createRegistry({ roles: [{ role: 'working', allowedTools: ['left'] }] });
  const worker = createWorker('left');
  const metas: unknown[] = [];
  worker.source.callTool = async (_name, _args, options) => {
    metas.push(options?.meta);
    if (options?.meta?.fails) throw Object.assign(new Error('no'), { rpc: { code: -32_602, message: 'no' } });
    return { content: [{ type: 'text', text: 'done' }] };
  };
  const telemetry = createTelemetry(change(recorded.api));
  const gateway = createGateway({ registry, upstreams: upstreamsOf(worker), names: 'as-is', telemetry });
  opened.push(registry, gateway);
  await registry.attach(worker.source).ready;
  return { ...recorded, gateway, metas };
}

async function callInBothEras({ gateway }: Awaited<ReturnType<typeof openGateway>>, meta: Record<string, unknown>) {
  const params = { name: 'work', arguments: {} };
  const handler = gateway.handler({ token }, () => ({ role: 'working' }));
  const modern = await post(handler, { method: 'tools/call', params, meta, token });
  await using client = await connectRaw(gateway, { role: 'working' });
  const legacy = await client.request('tools/call', { ...params, _meta: meta });
  return [modern, legacy];
}

const done = { result: { content: [{ type: 'text', text: 'done' }] } };

describe('a failure of OpenTelemetry does not reach requests', () => {
  test.each(['startSpan', 'active', 'extract', 'inject', 'with', 'isRecording', 'record', 'end'])(
    'of %s',
    async (name) => {
      const warned = once(process, 'warning');
      const app = await openGateway((api) => failingApi(api, name));
      expect(await callInBothEras(app, { traceparent })).toMatchObject([done, done]);
      expect((await warned)[0].message).toContain(`OpenTelemetry threw: Error: No ${name} today`);
      if (name === 'inject' || name === 'startSpan')
        expect(app.metas).toMatchObject([{ traceparent }, { traceparent }]);
    },
  );

  test('that clients cause again and again is one warning', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    const app = await openGateway((api) => ({
      ...api,
      propagation: {
        ...api.propagation,
        extract: (context, carrier, getter) => {
          decodeURIComponent(String(getter?.get(carrier, 'baggage')));
          return api.propagation.extract(context, carrier, getter);
        },
      },
    }));
    const meta = { traceparent, baggage: 'a=%E0%A4%A' };
    expect(await callInBothEras(app, meta)).toMatchObject([done, done]);
    const marker = once(process, 'warning');
    process.emitWarning('the last one');
    await marker;
    process.off('warning', note);
    expect(warnings.map(({ message }) => message.split('\n')[0])).toEqual([
      'OpenTelemetry threw: URIError: URI malformed',
      'the last one',
    ]);
    expect(app.spans().filter(({ name }) => name === 'tools/call work')).toHaveLength(2);
    expect(await app.points('mcp.server.operation.duration')).toContainEqual(
      expect.objectContaining({ attributes: expect.objectContaining({ 'gen_ai.tool.name': 'work' }) }),
    );
  });
});

test('names of cancelled calls take no place in metrics and names of spans, until a call has a result', async () => {
  const app = await openGateway();
  await using client = await connectRaw(app.gateway, { role: 'working' });
  const cancelled = (id: number) => client.notify('notifications/cancelled', { requestId: id, reason: 'enough' });
  for (let id = 2; id < 1_102; id++) {
    void client.request('tools/call', { name: `random-${id}`, arguments: {} });
    await cancelled(id);
  }
  const labels = async () => {
    const points = await app.points('mcp.server.operation.duration');
    const calls = points.map(({ attributes }) => attributes).filter((each) => each['mcp.method.name'] === 'tools/call');
    return calls.map((each) => [each['gen_ai.tool.name'], each['error.type']]);
  };
  await client.request('ping');
  expect(await labels()).toEqual([['_OTHER', 'cancelled']]);
  expect(app.spans().filter(({ name }) => name.includes('random'))).toEqual([]);
  expect(await client.request('tools/call', { name: 'work', arguments: {} })).toMatchObject(done);
  expect(await labels()).toEqual([
    ['_OTHER', 'cancelled'],
    ['work', undefined],
  ]);
});

test('a tool of a list has its name in metrics, also if its calls only fail', async () => {
  const app = await openGateway();
  await using client = await connectRaw(app.gateway, { role: 'working' });
  await client.request('tools/list');
  const failed = await client.request('tools/call', { name: 'work', arguments: {}, _meta: { fails: true } });
  expect(failed).toMatchObject({ error: { code: -32_602 } });
  const points = await app.points('mcp.server.operation.duration');
  const names = points.flatMap(({ attributes }) => attributes['gen_ai.tool.name'] ?? []);
  expect(names).toEqual(['work']);
});
