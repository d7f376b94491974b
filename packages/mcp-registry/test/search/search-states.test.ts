import type { ToolSourceState } from '@x/internal/contracts';
import { createListSource, tool } from '@x/test-servers';
import { describe, expect, test } from 'vitest';
import { createRegistry } from '../../src/registry.js';
import { nextChange } from '../helpers/next-event.js';

async function createStates() {
  const registry = createRegistry();
  const states: ToolSourceState[] = ['stopped', 'starting', 'running', 'degraded', 'stopping', 'failed'];
  for (const state of states) {
    const source = createListSource(state, [tool('log')]);
    source.state = state;
    await registry.attach(source).ready;
  }
  registry.register({ name: 'log_here', description: 'Logs' }, () => '');
  return registry;
}

describe('a search', () => {
  test.each([
    ['log', {}],
    ['^log', { useRegex: true }],
    ['log', { server: undefined }],
  ])('for %j %j covers tools of servers in any state, and includes the state', async (query, more) => {
    const { tools } = await (await createStates()).search({ query, ...more });
    const states = tools.map(({ server, state }) => [server, state]);
    expect(states).toHaveLength(7);
    for (const [server, state] of states) expect(state).toBe(server ?? 'running');
  });

  test.each([
    ['log', {}],
    ['^log', { useRegex: true }],
    ['*', {}],
  ])('for %j %j of ready tools has those that run and those of the host app', async (query, more) => {
    const result = await (await createStates()).search({ query, ...more, include: 'ready' });
    const servers = result.tools.filter(({ name }) => name !== 'search_mcp_tools').map(({ server }) => server);
    expect(new Set(servers)).toEqual(new Set(['running', 'degraded', undefined]));
    expect(result.total).toBe(result.tools.length);
  });

  test('of ready tools that finds none says that others may be there', async () => {
    const registry = createRegistry();
    const source = createListSource('git', [tool('blame')]);
    source.state = 'stopped';
    await registry.attach(source).ready;
    const result = await registry.search({ query: 'blame', include: 'ready' });
    expect(result).toMatchObject({ total: 0, hint: expect.stringContaining('include "all"') });
    expect((await registry.search({ query: 'blame' })).total).toBe(1);
  });

  test('shows a state as soon as it has changed, and finds by the same words', async () => {
    const registry = createRegistry();
    const source = createListSource('git', [tool('blame')]);
    await registry.attach(source).ready;
    const before = await registry.search({ query: 'blame' });
    const change = nextChange(registry);
    source.state = 'failed';
    source.announce();
    await change;
    const after = await registry.search({ query: 'blame' });
    expect(after.tools).toEqual(before.tools.map((hit) => ({ ...hit, state: 'failed' })));
    expect(after.revision).toBeGreaterThan(before.revision);
  });
});
