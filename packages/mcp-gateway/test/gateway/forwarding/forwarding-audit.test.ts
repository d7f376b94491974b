import { createRegistry } from '@x/mcp-registry';
import type { AuditEvent } from '@x/mcp-registry/audit';
import { afterEach, describe, expect, test } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import type { GatewayOptions } from '../../../src/gateway/gateway-options.js';
import { overStdio } from '../helpers/answering-client.js';
import { attachAll, createAskingUpstream } from '../helpers/asking-upstream.js';
import { gatewayWays } from '../helpers/gateway-client.js';
import { connectRaw } from '../helpers/raw-clients.js';
import { openSdkUpstreams } from '../helpers/sdk-upstreams.js';
import { createShelf } from '../helpers/shelf-server.js';
import { createWorker, upstreamsOf } from '../helpers/worker.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const roles = [
  { role: 'user', allowedTools: ['old', 'left'], deniedTools: ['left.rest'] },
  { role: 'whole', allowedTools: ['left'] },
];
const once = { requests: 1, perMs: 3_600_000 };

function recording() {
  const events: AuditEvent[] = [];
  const registry = createRegistry({ roles, audit: (event) => events.push(event) });
  opened.push(registry);
  return { events, registry };
}

/** Without what is another one each time. */
const shown = (events: readonly AuditEvent[]) =>
  events.map((event) => {
    const { time, principal, role, rule, durationMs, ...rest } = event as AuditEvent & Record<string, unknown>;
    return rest;
  });

describe.each(['modern', 'v1'] as const)('with a %s client', (kind) => {
  async function open(options: Partial<GatewayOptions> = {}) {
    const { events, registry } = recording();
    const server = createAskingUpstream('old', 'legacy', {
      ask: async () => ({ completion: { values: [] }, contents: [], messages: [], content: [] }),
    });
    const gateway = createGateway({ registry, upstreams: await attachAll(registry, [server]), ...options });
    const client = await overStdio(gateway)(kind, {}, { role: 'user' });
    opened.push(gateway, client);
    return { events, client, server };
  }

  test('completions are recorded with the size of their arguments, including refused ones', async () => {
    const { events, client } = await open();
    const argument = { name: 'topic', value: 'a secret' };
    const context = { arguments: { other: 'a secret' } };
    const ref = { type: 'ref/prompt', name: 'mcp__old__ask' };
    await client.request('completion/complete', { ref, argument, context });
    const asked = {
      action: 'complete',
      call: 1,
      name: 'mcp__old__ask',
      prompt: 'ask',
      server: 'old',
      decision: 'allowed',
      argumentShape: { known: { topic: 'string(8)' }, others: 1 },
    };
    expect(shown(events)).toEqual([
      { ...asked, outcome: 'started' },
      { ...asked, outcome: 'ok' },
    ]);
    events.length = 0;

    const template = { type: 'ref/resource', uri: 'mcp+old:ask' };
    await client.request('completion/complete', { ref: { ...template, uri: 'mcp+old:ask:ask' }, argument });
    for (const nowhere of [
      { ...ref, name: 'mcp__old__none' },
      { ...template, uri: 'mcp+none:x://user:password@host/' },
    ]) {
      await expect(client.request('completion/complete', { ref: nowhere, argument })).rejects.toThrow();
    }
    expect(shown(events)).toMatchObject([
      { uri: 'mcp+old:ask:ask', outcome: 'started', argumentShape: { known: {}, others: 1 } },
      { uri: 'mcp+old:ask:ask', outcome: 'ok' },
      { name: 'mcp__old__none', decision: 'unknown' },
      { uri: 'mcp+none:x://host/', decision: 'unknown' },
    ]);
    expect(JSON.stringify(events)).not.toMatch(/secret|password/);
  });

  test('a request over a rate limit is recorded as denied for that reason', async () => {
    const { events, client, server } = await open({ rateLimits: { perServer: { old: once } } });
    await client.request('resources/read', { uri: 'mcp+old:ask:ask' });
    events.length = 0;
    const argument = { name: 'topic', value: 'x' };
    for (const [method, params] of [
      ['tools/call', { name: 'mcp__old__ask', arguments: { a: 1 } }],
      ['resources/read', { uri: 'mcp+old:ask:ask' }],
      ['prompts/get', { name: 'mcp__old__ask' }],
      ['completion/complete', { ref: { type: 'ref/prompt', name: 'mcp__old__ask' }, argument }],
    ] as const) {
      await expect(client.request(method, params)).rejects.toMatchObject({ code: -32_000 });
    }
    const limited = { server: 'old', decision: 'denied', reason: 'rate-limited' };
    const argumentShape = { known: {}, others: 0 };
    const prompt = { name: 'mcp__old__ask', prompt: 'ask', ...limited };
    expect(shown(events)).toEqual([
      {
        action: 'call',
        call: 2,
        name: 'mcp__old__ask',
        tool: 'ask',
        client: 'test 1.0.0',
        argumentShape: { known: {}, others: 1 },
        ...limited,
      },
      { action: 'read', call: 3, uri: 'mcp+old:ask:ask', ...limited },
      { action: 'get-prompt', call: 4, argumentShape, ...prompt },
      { action: 'complete', call: 5, argumentShape: { known: { topic: 'string(1)' }, others: 0 }, ...prompt },
    ]);
    expect(events.some((event) => 'rule' in event)).toBe(false);
    expect(server.requests).toHaveLength(1);
  });
});

test.each(['prefixed', 'as-is'] as const)('a refused call is recorded by its public name: names %s', async (names) => {
  const { events, registry } = recording();
  const server = createAskingUpstream('old', 'legacy', { ask: async () => ({ content: [] }) });
  const upstreams = await attachAll(registry, [server]);
  const gateway = createGateway({ registry, upstreams, names, rateLimits: { perServer: { old: once } } });
  const client = await overStdio(gateway)('v1');
  opened.push(gateway, client);
  const args = { name: names === 'prefixed' ? 'mcp__old__ask' : 'ask', arguments: {} };
  await client.request('tools/call', args);
  await expect(client.request('tools/call', args)).rejects.toMatchObject({ code: -32_000 });
  expect(events.at(-1)).toMatchObject({ name: 'mcp__old__ask', tool: 'ask', reason: 'rate-limited' });
});

test.each(gatewayWays)('subscriptions are recorded: $name', async ({ connect }) => {
  const { events, registry } = recording();
  const upstreams = await openSdkUpstreams(registry, { left: createShelf('left').server });
  const gateway = createGateway({ registry, upstreams });
  const client = await connect(gateway);
  opened.push(upstreams, gateway, client);
  events.length = 0;
  const taken = { action: 'subscribe', uri: 'mcp+left:book:///one', server: 'left', decision: 'allowed' };
  await client.subscribe('mcp+left:book:///one');
  await client.subscribe('mcp+none:book:///one').catch(() => undefined);
  await expect.poll(() => events.length).toBe(3);
  const [started, ...others] = shown(events);
  expect(started).toEqual({ ...taken, call: 1, outcome: 'started' });
  expect(others).toContainEqual({ ...taken, call: 1, outcome: 'ok' });
  expect(others).toContainEqual({ action: 'subscribe', call: 2, uri: 'mcp+none:book:///one', decision: 'unknown' });
});

test('a subscription over a rate limit is recorded as denied for that reason', async () => {
  const { events, registry } = recording();
  const upstreams = await openSdkUpstreams(registry, { left: createShelf('left').server });
  const gateway = createGateway({ registry, upstreams, rateLimits: { perServer: { left: once } } });
  const client = await connectRaw(gateway);
  opened.push(upstreams, gateway, client);
  const uri = 'mcp+left:book:///one';
  await client.request('resources/read', { uri });
  const { error } = await client.request('resources/subscribe', { uri });
  expect(error).toMatchObject({ code: -32_000, data: { reason: 'rate-limited' } });
  const [event] = shown(events.slice(-1));
  expect(event).toEqual({
    action: 'subscribe',
    call: 2,
    uri,
    server: 'left',
    decision: 'denied',
    reason: 'rate-limited',
  });
});

describe('with a server that has tasks and methods of its own', () => {
  async function open(role: string, options: Partial<GatewayOptions> = {}) {
    const { events, registry } = recording();
    const worker = createWorker('left', { era: 'legacy' });
    await registry.attach(worker.source).ready;
    const gateway = createGateway({ registry, upstreams: upstreamsOf(worker) as never, ...options });
    const client = await connectRaw(gateway, { role });
    opened.push(gateway, client);
    const passedOn = () => shown(events.filter(({ action }) => action === 'pass-on'));
    return { worker, client, passedOn };
  }

  test('task requests are recorded with their tool, and for another caller’s task without one', async () => {
    const { worker, client, passedOn } = await open('user', {
      rateLimits: { perServer: { left: { ...once, burst: 3 } } },
    });
    const { result } = await client.request('tools/call', { name: 'mcp__left__work', arguments: {}, task: {} });
    const { taskId } = result.task;
    await client.request('tasks/get', { taskId });
    worker.answer = () => Promise.reject(Object.assign(new Error('a secret'), { code: -32_602 }));
    await client.request('tasks/cancel', { taskId });
    await client.request('tasks/get', { taskId });
    await client.request('tasks/get', { taskId: 'somebody' });
    const ofTask = { action: 'pass-on', server: 'left', tool: 'work' };
    expect(passedOn()).toEqual([
      { ...ofTask, call: 2, method: 'tasks/get', decision: 'allowed', outcome: 'started' },
      { ...ofTask, call: 2, method: 'tasks/get', decision: 'allowed', outcome: 'ok' },
      { ...ofTask, call: 3, method: 'tasks/cancel', decision: 'allowed', outcome: 'started' },
      { ...ofTask, call: 3, method: 'tasks/cancel', decision: 'allowed', outcome: 'failed', error: 'Error' },
      { ...ofTask, call: 4, method: 'tasks/get', decision: 'denied', reason: 'rate-limited' },
      { action: 'pass-on', call: 5, method: 'tasks/get', decision: 'unknown' },
    ]);
  });

  test('methods and notifications of a server are recorded by their names', async () => {
    const { worker, client, passedOn } = await open('whole');
    worker.answer = () => ({});
    await client.request('acme/brew', { cups: 2 });
    await client.notify('notifications/acme/brewed', {});
    await expect.poll(() => passedOn().length).toBe(4);
    const brew = { action: 'pass-on', server: 'left', decision: 'allowed' };
    expect(passedOn()).toEqual([
      { ...brew, call: 1, method: 'acme/brew', outcome: 'started' },
      { ...brew, call: 1, method: 'acme/brew', outcome: 'ok' },
      { ...brew, call: 2, method: 'notifications/acme/brewed', outcome: 'started' },
      { ...brew, call: 2, method: 'notifications/acme/brewed', outcome: 'ok' },
    ]);
  });

  test('refused methods are recorded as denied if another role may use them, otherwise as unknown', async () => {
    const { client, passedOn } = await open('user');
    await client.request('acme/brew');
    await client.request('prompts/forget');
    expect(passedOn()).toEqual([
      { action: 'pass-on', call: 1, method: 'acme/brew', server: 'left', decision: 'denied' },
      { action: 'pass-on', call: 2, method: 'prompts/forget', decision: 'unknown' },
    ]);
  });
});
