import { createRegistry } from '@x/mcp-registry';
import { assert, expect, test } from 'vitest';
import { capabilitiesOf, selfDescriptionOf } from '../../src/gateway/capabilities.js';
import { createGateway } from '../../src/gateway/gateway.js';
import { GatewayCore } from '../../src/gateway/gateway-core.js';
import { resolveGateway } from '../../src/gateway/gateway-options.js';
import { connectRaw, TASKS } from './helpers/raw-clients.js';
import { createWorker, upstreamsOf, type Worker } from './helpers/worker.js';

const roles = [
  { role: 'restricted', allowedTools: ['left.work'] },
  { role: 'all of left', allowedTools: ['left'] },
  { role: 'stranger', allowedTools: ['elsewhere'] },
  { role: 'reader', allowedTools: [], allowedResources: ['left.a:*'] },
];

type Offering = { names?: 'as-is' | 'prefixed'; era?: 'modern' | 'legacy'; role?: string };

async function offered(workers: readonly Worker[], offering: Offering) {
  return (await told(workers, offering)).capabilities;
}

async function told(workers: readonly Worker[], { names = 'as-is', era = 'modern', role }: Offering) {
  const registry = createRegistry({ roles });
  await Promise.all(workers.map(({ source }) => registry.attach(source).ready));
  const core = new GatewayCore(resolveGateway({ registry, upstreams: upstreamsOf(...workers) as never, names }));
  const audience = core.audiences.of(role === undefined ? {} : { role });
  const capabilities = JSON.parse(JSON.stringify(capabilitiesOf(core, { era, audience })));
  const { name, version, instructions } = selfDescriptionOf(core, audience);
  core.close();
  await registry.close();
  return { capabilities, name, version, instructions };
}

const declared = {
  tools: {},
  resources: { subscribe: true, 'x/more': 1 },
  logging: {},
  experimental: { 'x/y': { a: [1] } },
  'x/unknown': { whole: true },
  extensions: { [TASKS]: { some: 'thing' }, 'io.modelcontextprotocol/skills': { directoryRead: true } },
  tasks: { list: {} },
};

const ownExtensions = {
  'io.modelcontextprotocol/ui': {},
  'io.modelcontextprotocol/skills': { directoryRead: true },
};
const always = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};

test('with as-is names, a single server’s capabilities are declared unchanged', async () => {
  expect(await offered([createWorker('left', { capabilities: declared })], {})).toEqual({
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true, 'x/more': 1 },
    logging: {},
    experimental: { 'x/y': { a: [1] } },
    'x/unknown': { whole: true },
    extensions: declared.extensions,
  });
});

test('tasks are declared to clients of the revision for which the server supports them', async () => {
  const [modern, legacy] = [createWorker('left'), createWorker('right', { era: 'legacy' })];
  expect((await offered([modern], { era: 'modern' })).extensions).toEqual({ [TASKS]: {} });
  expect(await offered([modern], { era: 'legacy' })).not.toHaveProperty('extensions');
  expect(await offered([legacy], { era: 'modern' })).not.toHaveProperty('tasks');
  const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
  expect((await offered([legacy], { era: 'legacy' })).tasks).toEqual(tasks);
});

test('capabilities that need the whole server are not declared to roles with less', async () => {
  const capabilities = await offered([createWorker('left', { capabilities: declared })], { role: 'restricted' });
  expect(capabilities).toEqual({
    ...always,
    extensions: { ...ownExtensions, [TASKS]: { some: 'thing' } },
  });
});

test('with several servers or prefixes, only unambiguous capabilities are declared', async () => {
  const [left, right] = [createWorker('left', { capabilities: declared }), createWorker('right')];
  for (const [workers, names] of [
    [[left, right], 'as-is'],
    [[left], 'prefixed'],
  ] as const) {
    expect(Object.keys(await offered(workers, { names })).toSorted()).toEqual([
      'completions',
      'extensions',
      'logging',
      'prompts',
      'resources',
      'tools',
    ]);
    expect((await offered(workers, { names })).extensions).toEqual({ ...ownExtensions, [TASKS]: { some: 'thing' } });
  }
});

test('an extension that the gateway does not know is declared if one server has it that may be used whole', async () => {
  const coffee = { 'com.acme/coffee': { beans: 2 } };
  const [left, right] = ['left', 'right'].map((name) => createWorker(name, { capabilities: { extensions: coffee } }));
  const plain = createWorker('plain');
  assert(left && right);
  expect((await offered([left, plain], {})).extensions).toMatchObject(coffee);
  expect((await offered([left, right], {})).extensions).not.toHaveProperty(['com.acme/coffee']);
  expect((await offered([right, left], { role: 'all of left' })).extensions).toMatchObject(coffee);
  expect((await offered([left, plain], { role: 'restricted' })).extensions).not.toHaveProperty(['com.acme/coffee']);
});

test('the task support of several servers is merged', async () => {
  const left = createWorker('left', { era: 'legacy', capabilities: { tasks: { requests: { tools: { call: {} } } } } });
  const right = createWorker('right', {
    era: 'legacy',
    capabilities: { tasks: { list: {}, requests: { 'x/y': {} } } },
  });
  expect((await offered([left, right], { era: 'legacy' })).tasks).toEqual({
    list: {},
    requests: { tools: { call: {} }, 'x/y': {} },
  });
});

test.each([
  ['as-is', 'modern'],
  ['as-is', 'legacy'],
  ['prefixed', 'modern'],
  ['prefixed', 'legacy'],
] as const)('a server that a role may not use does not change its capabilities: %s, %s', async (names, era) => {
  const left = createWorker('left', { era, capabilities: { prompts: undefined } });
  const hidden = createWorker('hidden', { era, capabilities: { ...declared, prompts: {}, completions: {} } });
  for (const { name, upstream } of [left, hidden])
    Object.assign(upstream.session ?? {}, {
      serverInfo: { name: `self ${name}`, version: '9' },
      instructions: `use ${name}`,
    });
  expect((await told([left], { role: 'all of left' })).name).toBe('self left');
  for (const role of ['restricted', 'all of left', 'reader']) {
    const alone = await told([left], { names, era, role });
    expect(await told([left, hidden], { names, era, role })).toEqual(alone);
    expect(await told([hidden, left], { names, era, role })).toEqual(alone);
  }
  const nothing = await told([], { names, era, role: 'stranger' });
  expect(await told([left, hidden], { names, era, role: 'stranger' })).toEqual(nothing);
});

test('with as-is names, a role that may use a single resource can read it', async () => {
  const [left, right] = [createWorker('left'), createWorker('right')];
  left.answer = ({ params }) => ({ contents: [{ uri: params.uri, text: 'One' }] });
  const registry = createRegistry({ roles });
  const gateway = createGateway({ registry, upstreams: upstreamsOf(left, right) as never, names: 'as-is' });
  await using client = await connectRaw(gateway, { role: 'reader' });
  expect((await client.request('resources/read', { uri: 'a:1' })).result).toMatchObject({
    contents: [{ text: 'One' }],
  });
  await gateway.close();
  await registry.close();
});
