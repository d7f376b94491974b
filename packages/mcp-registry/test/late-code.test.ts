import { createListSource, tool } from '@x/test-servers';
import { beforeEach, describe, expect, test, vi } from 'vitest';

/** A copy of the registry that has loaded none of its late code. */
async function freshRegistry() {
  const { createRegistry } = await import('../src/registry.js');
  const source = createListSource('git', [tool('log'), tool('push')]);
  const registry = createRegistry();
  await registry.attach(source).ready;
  return { registry, source };
}

beforeEach(() => {
  vi.resetModules();
});

describe('while code is loaded', () => {
  test('a search includes tools that are added meanwhile', async () => {
    const { registry, source } = await freshRegistry();
    const searching = registry.search({ query: 'pull', detail: 'names' });
    const changed = registry.changes().next();
    source.offer([tool('log'), tool('pull')]);
    await changed;
    expect((await searching).tools.map(({ name }) => name)).toEqual(['mcp__git__pull']);
  });

  test('searches that begin together share one load', async () => {
    const { registry } = await freshRegistry();
    const answers = await Promise.all([
      registry.search({ query: 'log' }),
      registry.search({ query: '^lo', useRegex: true }),
      registry.search({ query: '*' }),
    ]);
    expect(answers.map(({ mode }) => mode)).toEqual(['name', 'regex', 'list']);
  });

  test('a search and a call end with their signal', async () => {
    const { registry, source } = await freshRegistry();
    const given = new AbortController();
    const searching = registry.search({ query: 'log' }, { signal: given.signal });
    const calling = registry.call('mcp__git__log', {}, { signal: given.signal });
    given.abort('enough');
    await expect(searching).rejects.toBe('enough');
    await expect(calling).rejects.toBe('enough');
    expect(source.calls).toEqual([]);
  });

  test('a search and a call end with the registry', async () => {
    const { registry, source } = await freshRegistry();
    const searching = registry.search({ query: 'log' });
    const patternSearching = registry.search({ query: 'log', useRegex: true });
    const calling = registry.call('mcp__git__log');
    const closing = registry.close();
    await expect(searching).rejects.toMatchObject({ code: 'closed' });
    await expect(patternSearching).rejects.toMatchObject({ code: 'closed' });
    await expect(calling).rejects.toMatchObject({ code: 'closed' });
    await closing;
    expect(source.calls).toEqual([]);
  });

  test('a call is authorized again', async () => {
    const { registry, source } = await freshRegistry();
    const view = registry.view();
    const calling = view.call('mcp__git__log');
    registry.update({ trust: 'approve' });
    await expect(calling).rejects.toMatchObject({ code: 'unknown-tool' });
    expect(source.calls).toEqual([]);
  });

  test('arguments that are not an object are refused', async () => {
    const { registry } = await freshRegistry();
    await expect(registry.call('mcp__git__log', [] as never)).rejects.toMatchObject({ code: 'invalid-arguments' });
  });
});

test('the engine for patterns is loaded once, for one schema of very many', async () => {
  const { loadEngineFor } = await import('../src/arguments/pattern-engine.js');
  const plain = Array.from({ length: 200_000 }, () => ({ type: 'object' }));
  const withPattern = [...plain, { properties: { path: { type: 'string', pattern: '^/' } } }];
  expect(loadEngineFor(plain)).toBeUndefined();
  const loading = loadEngineFor(withPattern);
  expect(loading).toBeInstanceOf(Promise);
  await loading;
  expect(loadEngineFor(withPattern)).toBeUndefined();
});

test('a registry needs no load after preload()', async () => {
  const { registry } = await freshRegistry();
  const { preload } = await import('../src/preload.js');
  const { searchCode } = await import('../src/search/late-search.js');
  const { callCode } = await import('../src/calls/late-calls.js');
  const { operatorCode } = await import('../src/pins/operators/operator-code.js');
  expect([searchCode, callCode, operatorCode].map(({ loaded }) => loaded)).toEqual([undefined, undefined, undefined]);
  await preload();
  expect(searchCode.loaded?.patternCode.loaded).toBeDefined();
  expect(callCode.loaded?.engineCode).toBeDefined();
  expect(operatorCode.loaded).toBeDefined();
  expect((await registry.search({ query: 'log' })).total).toBe(1);
});
