import { expect, test } from 'vitest';
import { capabilitiesOf } from '../../src/gateway/capabilities.js';
import { GatewayCore } from '../../src/gateway/gateway-core.js';
import { resolveGateway } from '../../src/gateway/gateway-options.js';
import { createRegistry } from '../../src/registry.js';
import { TASKS } from './helpers/raw-clients.js';
import { createWorker, upstreamsOf, type Worker } from './helpers/worker.js';

const roles = [{ role: 'restricted', allowedTools: ['left.work'] }];

function offered(
  workers: readonly Worker[],
  { names = 'as-is', era = 'modern', role }: { names?: 'as-is' | 'prefixed'; era?: 'modern' | 'legacy'; role?: string },
) {
  const registry = createRegistry({ roles });
  const core = new GatewayCore(resolveGateway({ registry, upstreams: upstreamsOf(...workers) as never, names }));
  const policy = registry.policy(role === undefined ? {} : { role });
  const capabilities = JSON.parse(JSON.stringify(capabilitiesOf(core, { era, policy })));
  core.close();
  return capabilities;
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

test('a single server whose names are as they are offers what it declares', () => {
  expect(offered([createWorker('left', { capabilities: declared })], {})).toEqual({
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true, 'x/more': 1 },
    logging: {},
    experimental: { 'x/y': { a: [1] } },
    'x/unknown': { whole: true },
    extensions: declared.extensions,
  });
});

test('tasks are offered to clients of the revision that the server knows them from', () => {
  const [modern, legacy] = [createWorker('left'), createWorker('right', { era: 'legacy' })];
  expect(offered([modern], { era: 'modern' }).extensions).toEqual({ [TASKS]: {} });
  expect(offered([modern], { era: 'legacy' })).not.toHaveProperty('extensions');
  expect(offered([legacy], { era: 'modern' })).not.toHaveProperty('tasks');
  const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
  expect(offered([legacy], { era: 'legacy' }).tasks).toEqual(tasks);
});

test('what only those may use who may use the whole server is not offered to others', () => {
  const capabilities = offered([createWorker('left', { capabilities: declared })], { role: 'restricted' });
  expect(capabilities).toEqual({
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    logging: {},
    extensions: { [TASKS]: { some: 'thing' } },
  });
});

test('of several servers, or of one with prefixes, only that is offered which can be told apart', () => {
  const [left, right] = [createWorker('left', { capabilities: declared }), createWorker('right')];
  for (const [workers, names] of [
    [[left, right], 'as-is'],
    [[left], 'prefixed'],
  ] as const) {
    expect(Object.keys(offered(workers, { names })).toSorted()).toEqual([
      'extensions',
      'logging',
      'resources',
      'tools',
    ]);
    expect(Object.keys(offered(workers, { names }).extensions)).toEqual([TASKS]);
  }
});

test('what servers can do about tasks adds up', () => {
  const left = createWorker('left', { era: 'legacy', capabilities: { tasks: { requests: { tools: { call: {} } } } } });
  const right = createWorker('right', {
    era: 'legacy',
    capabilities: { tasks: { list: {}, requests: { 'x/y': {} } } },
  });
  expect(offered([left, right], { era: 'legacy' }).tasks).toEqual({
    list: {},
    requests: { tools: { call: {} }, 'x/y': {} },
  });
});
