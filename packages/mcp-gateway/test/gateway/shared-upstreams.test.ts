import { createRegistry } from '@x/mcp-registry';
import { expect, test } from 'vitest';
import { createGateway } from '../../src/index.js';
import { asking, attachAll, createAskingUpstream } from './helpers/asking-upstream.js';
import { connectRaw } from './helpers/raw-clients.js';

async function open() {
  const levels: string[] = [];
  const subscriptions: string[] = [];
  const upstream = Object.assign(createAskingUpstream('old', 'legacy', { where: asking('roots/list') }), {
    session: { era: 'legacy' as const, capabilities: { resources: { subscribe: true }, logging: {} } },
    subscribeResource: async (uri: string) => void subscriptions.push(`to ${uri}`),
    unsubscribeResource: async (uri: string) => void subscriptions.push(`not to ${uri}`),
    setLogLevel: async (level: string) => void levels.push(level),
  });
  const registry = createRegistry();
  const upstreams = await attachAll(registry, [upstream]);
  const gateways = [createGateway({ registry, upstreams }), createGateway({ registry, upstreams })] as const;
  return {
    gateways,
    levels,
    subscriptions,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(gateways.map((gateway) => gateway.close()));
      await registry.close();
    },
  };
}

const uri = 'mcp+old:a:1';

test('a subscription of two gateways in front of one server ends with the last client', async () => {
  await using opened = await open();
  const [first, second] = await Promise.all(opened.gateways.map((gateway) => connectRaw(gateway)));
  await first?.request('resources/subscribe', { uri });
  await second?.request('resources/subscribe', { uri });
  await opened.gateways[0].close();
  expect(opened.subscriptions).toEqual(['to a:1']);
  await second?.request('resources/unsubscribe', { uri });
  await expect.poll(() => opened.subscriptions).toEqual(['to a:1', 'not to a:1']);
});

test('a client of one gateway does not lower the log level that a client of the other has set', async () => {
  await using opened = await open();
  const [first, second] = await Promise.all(opened.gateways.map((gateway) => connectRaw(gateway)));
  await first?.request('logging/setLevel', { level: 'debug' });
  await second?.request('logging/setLevel', { level: 'error' });
  expect(opened.levels).toEqual(['debug']);
});

test.each(['before', 'after'])(
  'a client without a level gets all entries if it connects %s one sets a level',
  async (order) => {
    await using opened = await open();
    const [quiet, other] = opened.gateways;
    if (order === 'before') await connectRaw(other);
    const client = await connectRaw(quiet);
    expect(opened.levels).toEqual([]);
    await client.request('logging/setLevel', { level: 'emergency' });
    if (order === 'after') await connectRaw(other);
    await expect.poll(() => opened.levels.at(-1)).toBe('debug');
  },
);

test('a level that clients set is set once those without one are gone', async () => {
  await using opened = await open();
  await connectRaw(opened.gateways[0]);
  await opened.gateways[0].close();
  const client = await connectRaw(opened.gateways[1]);
  await client.request('logging/setLevel', { level: 'emergency' });
  expect(opened.levels).toEqual(['emergency']);
});
