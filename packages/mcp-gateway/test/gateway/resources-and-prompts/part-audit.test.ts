import { passingOn } from '@x/internal/views';
import { createRegistry, type RoleRules } from '@x/mcp-registry';
import type { AuditEvent } from '@x/mcp-registry/audit';
import { afterEach, describe, expect, test } from 'vitest';
import { createGateway } from '../../../src/gateway/gateway.js';
import type { GatewayOptions } from '../../../src/gateway/gateway-options.js';
import { overStdio } from '../helpers/answering-client.js';
import { type Ask, asking, attachAll, createAskingUpstream, toText } from '../helpers/asking-upstream.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const roles: RoleRules = [
  {
    role: 'guest',
    allowedTools: ['old.ask', 'new.later'],
    allowedResources: ['old.ask:*'],
    allowedPrompts: ['old.ask'],
  },
];
const audience = { role: 'guest', principal: 'ada' };
const asks: Readonly<Record<string, Ask>> = {
  ask: async (options, { uri }) => {
    if (uri === undefined) return { messages: [] };
    await asking('roots/list')(options);
    return { contents: [] };
  },
  fails: async () => {
    throw Object.assign(new Error('a secret'), { code: -32_050 });
  },
  later: async () => ({ resultType: 'input_required', requestState: '1' }),
  task: async () => ({ task: { taskId: 't', status: 'working' } }),
};

async function open(options: Partial<GatewayOptions> = {}) {
  const events: AuditEvent[] = [];
  const registry = createRegistry({ roles, audit: (event) => events.push(event) });
  const servers = [createAskingUpstream('old', 'legacy', asks), createAskingUpstream('new', 'modern', asks)];
  const gateway = createGateway({ registry, upstreams: await attachAll(registry, servers), ...options });
  opened.push(registry, gateway);
  const connect = async (kind: 'modern' | 'v1') => {
    const client = await overStdio(gateway)(kind, { answers: { roots: () => ({ roots: [] }) } }, audience);
    opened.push(client);
    events.length = 0;
    return client;
  };
  return { events, connect, registry };
}

/** Without what is another one each time. */
const shown = (events: readonly AuditEvent[]) =>
  events.map(({ time, role, principal, ...event }) => {
    expect([role, principal, Number.isNaN(Date.parse(time))]).toEqual(['guest', 'ada', false]);
    const { durationMs, rule, ...rest } = event as AuditEvent & { durationMs?: number; rule?: object };
    return { ...rest, ...(durationMs !== undefined && { durationMs: 'some' }), ...(rule && { rule: 'some' }) };
  });

describe.each(['modern', 'v1'] as const)('with a %s client', (kind) => {
  test('a read is recorded at its start and end, once for all rounds', async () => {
    const { events, connect } = await open();
    const client = await connect(kind);
    await client.request('resources/read', { uri: 'mcp+old:ask:ask' });
    const read = { action: 'read', call: 1, uri: 'mcp+old:ask:ask', server: 'old', decision: 'allowed', rule: 'some' };
    expect(shown(events)).toEqual([
      { ...read, outcome: 'started' },
      { ...read, outcome: 'ok', durationMs: 'some' },
    ]);
  });

  test('prompts are recorded with argument names, without values', async () => {
    const { events, connect } = await open();
    const client = await connect(kind);
    await client.request('prompts/get', { name: 'mcp__old__ask', arguments: { topic: 'a secret', another: 'secret' } });
    const got = {
      action: 'get-prompt',
      call: 1,
      name: 'mcp__old__ask',
      server: 'old',
      prompt: 'ask',
      decision: 'allowed',
      rule: 'some',
      argumentShape: { known: { topic: 'string(8)' }, others: 1 },
    };
    expect(shown(events)).toEqual([
      { ...got, outcome: 'started' },
      { ...got, outcome: 'ok', durationMs: 'some' },
    ]);
    expect(JSON.stringify(events)).not.toContain('secret');
  });

  test.each(['prefixed', 'as-is'] as const)(
    'refused requests are recorded as denied or unknown: names %s',
    async (names) => {
      const { events, connect } = await open({ names });
      const client = await connect(kind);
      const isPrefixed = names === 'prefixed';
      for (const uri of isPrefixed ? ['mcp+new:ask:later', 'mcp+nobody:x'] : ['ask:nothing']) {
        await expect(client.request('resources/read', { uri })).rejects.toThrow();
      }
      for (const name of isPrefixed ? ['mcp__old__later', 'mcp__old__none'] : ['none']) {
        await expect(client.request('prompts/get', { name })).rejects.toThrow();
      }
      const denied = { decision: 'denied', rule: 'some' };
      const unknown = { decision: 'unknown' };
      const argumentShape = { known: {}, others: 0 };
      expect(shown(events)).toEqual(
        isPrefixed
          ? [
              { action: 'read', call: 1, uri: 'mcp+new:ask:later', server: 'new', ...denied },
              { action: 'read', call: 2, uri: 'mcp+nobody:x', ...unknown },
              {
                action: 'get-prompt',
                call: 3,
                name: 'mcp__old__later',
                prompt: 'later',
                server: 'old',
                argumentShape,
                ...denied,
              },
              { action: 'get-prompt', call: 4, name: 'mcp__old__none', argumentShape, ...unknown },
            ]
          : [
              { action: 'read', call: 1, uri: 'ask:nothing', ...unknown },
              { action: 'get-prompt', call: 2, name: 'none', argumentShape, ...unknown },
            ],
      );
    },
  );
});

test('the error of a failed read and the user info of a URI are not recorded', async () => {
  const { events, connect } = await open();
  const client = await connect('v1');
  await expect(client.request('resources/read', { uri: 'mcp+old:ask:fails' })).rejects.toThrow('a secret');
  expect(events.at(-1)).toMatchObject({ action: 'read', outcome: 'failed', error: 'Error' });
  for (const user of ['user:password', 'user:a/password', 'user:a#password', 'user:a?password']) {
    const uri = `mcp+old:db://${user}@host/a`;
    await expect(client.request('resources/read', { uri })).rejects.toThrow();
    expect(events.at(-1)).toMatchObject({ uri: 'mcp+old:db://host/a', decision: 'denied' });
  }
  const uri = 'mcp+old:db://user:password@host/a?b@c';
  await expect(client.request('resources/read', { uri })).rejects.toThrow();
  expect(events.at(-1)).toMatchObject({ uri: 'mcp+old:db://host/a?b@c', decision: 'denied' });
  expect(JSON.stringify(events)).not.toMatch(/secret|password/);
});

test('calls that need input or become tasks are recorded as such', async () => {
  const { events, connect, registry } = await open();
  const client = await connect('modern');
  await client.once('tools/call', { name: 'mcp__new__later', arguments: {} });
  expect(events.map((event) => 'outcome' in event && event.outcome)).toEqual(['started', 'input-required']);
  await registry.call('mcp__new__task', {}, passingOn({ params: { task: {} } }));
  expect(events.at(-1)).toMatchObject({ outcome: 'task' });
});

test('a client that declares neither gets neither input requests nor tasks', async () => {
  const { registry } = await open();
  for (const tool of ['later', 'task']) {
    await expect(registry.call(`mcp__new__${tool}`)).rejects.toMatchObject({ code: 'invalid-result' });
  }
  const tasks = { client: {}, capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } };
  const handler = { ...tasks, answer: async () => ({}) };
  expect(await registry.call('mcp__new__task', {}, { handler })).toMatchObject({ task: { taskId: 't' } });
  expect(toText(1).content).toHaveLength(1);
});
