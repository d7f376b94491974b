import { createListSource, tool } from '@x/test-servers';
import { afterEach, expect, test, vi } from 'vitest';
import { type CallRate, limitRates } from '../../src/interceptors/call-rates.js';
import { createRegistry } from '../../src/registry.js';

afterEach(() => {
  vi.useRealTimers();
});

const roles = [
  { role: 'dev', allowedTools: ['git'] },
  { role: 'ops', allowedTools: ['git'] },
];

async function createGit(rates: readonly CallRate[]) {
  vi.useFakeTimers({ toFake: ['performance'] });
  const source = createListSource('git', [tool('log'), tool('push')]);
  const registry = createRegistry({ roles, interceptors: [limitRates(rates)] });
  await registry.attach(source).ready;
  const outcome = (name: string, options: { readonly role?: string; readonly principal?: string } = {}) =>
    registry
      .view(options)
      .call(`mcp__git__${name}`)
      .then(
        () => 'done',
        ({ message }: Error) => message,
      );
  return { source, outcome };
}

const over = (name: string, ms: number) => `Too many calls of mcp__git__${name}; try again in ${ms} milliseconds`;

test('each principal has a limit, which refills with time', async () => {
  const { source, outcome } = await createGit([{ requests: 2, perMs: 1_000 }]);
  const ada = { role: 'dev', principal: 'ada' };
  expect([await outcome('log', ada), await outcome('push', ada), await outcome('log', ada)]).toEqual([
    'done',
    'done',
    over('log', 500),
  ]);
  expect(await outcome('log', { role: 'dev', principal: 'bob' })).toBe('done');
  vi.advanceTimersByTime(500);
  expect(await outcome('log', ada)).toBe('done');
  expect(source.calls).toHaveLength(4);
});

test('limits concern the tools they name, by role, for all, and for each tool', async () => {
  const { outcome } = await createGit([
    { tools: ['git.push'], requests: 1, perMs: 1_000, per: 'all' },
    { requests: 2, perMs: 1_000, per: 'role', eachTool: true },
  ]);
  expect(await outcome('push', { role: 'dev' })).toBe('done');
  expect(await outcome('push', { role: 'ops' })).toBe(over('push', 1_000));
  expect([await outcome('log', { role: 'dev' }), await outcome('log', { role: 'dev' })]).toEqual(['done', 'done']);
  expect(await outcome('log', { role: 'dev' })).toBe(over('log', 500));
  expect(await outcome('log', { role: 'ops' })).toBe('done');
});

test('a refused call takes nothing from the other limits', async () => {
  const { outcome } = await createGit([
    { tools: ['git.push'], requests: 1, perMs: 1_000 },
    { requests: 2, perMs: 1_000 },
  ]);
  const ada = { role: 'dev', principal: 'ada' };
  expect([await outcome('push', ada), await outcome('push', ada)]).toEqual(['done', over('push', 1_000)]);
  expect([await outcome('log', ada), await outcome('log', ada)]).toEqual(['done', over('log', 500)]);
});

test.each<[unknown, string]>([
  [{ requests: 1, perMs: 1 }, 'limitRates() takes a list of limits'],
  [[{ requests: 0, perMs: 1 }], 'rates[0].requests must be a whole number of requests from 1 on, got 0'],
  [[{ requests: 1 }], 'rates[0].perMs must be a whole number of milliseconds'],
  [[{ requests: 1, perMs: 1, per: 'user' }], 'rates[0].per must be one of "principal", "role", "all", got user'],
  [[{ requests: 1, perMs: 1, tool: 'x' }], 'rates[0].tool'],
])('%j are no limits', (rates, message) => {
  expect(() => limitRates(rates as never)).toThrow(message);
});
