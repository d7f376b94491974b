import { expect, test } from 'vitest';
import { RequestFactsCache } from '../../src/telemetry/request-facts.js';

const call = (name: unknown, server?: string) => ({
  kind: 'client' as const,
  method: 'tools/call',
  params: { name },
  server,
});
const read = (params: Record<string, unknown>) => ({ kind: 'client' as const, method: 'resources/read', params });

test('makes the facts of a tool once per server, when it exists', () => {
  const cache = new RequestFactsCache();
  expect(cache.of(call('echo', 'a'))).not.toBe(cache.of(call('echo', 'a')));
  cache.names['gen_ai.tool.name'].bounded('echo');
  const facts = cache.of(call('echo', 'a'));
  expect(cache.of(call('echo', 'a'))).toBe(facts);
  expect(facts).toEqual({
    method: 'tools/call',
    target: { key: 'gen_ai.tool.name', name: 'echo' },
    spanName: 'tools/call echo',
    spanAttributes: {
      'mcp.method.name': 'tools/call',
      'mcpx.server': 'a',
      'gen_ai.tool.name': 'echo',
      'gen_ai.operation.name': 'execute_tool',
    },
  });
  expect(cache.of(call('echo', 'b')).spanAttributes['mcpx.server']).toBe('b');
  expect(cache.of(call('echo')).spanAttributes).not.toHaveProperty('mcpx.server');
});

test('distinguishes requests without a target, with an empty and with another target', () => {
  const cache = new RequestFactsCache();
  expect([cache.of(call(7)).spanName, cache.of(call('')).spanName]).toEqual(['tools/call', 'tools/call ']);
  expect(cache.of(read({})).target).toBeUndefined();
  expect(cache.of(read({ uri: 'test://a?key=secret' })).target?.name).toBe('test://a');
  expect(cache.of(read({ uri: 'test://b' })).target?.name).toBe('test://b');
});

test('takes methods and names that are those of objects as any others', () => {
  const cache = new RequestFactsCache();
  for (const method of ['constructor', '__proto__', 'hasOwnProperty']) {
    const facts = cache.of({ kind: 'server', method, params: { name: 'x' } });
    expect(facts).toMatchObject({ method: '_OTHER', target: undefined, spanAttributes: { 'mcp.method.name': method } });
  }
});

test('forgets the servers of long ago', () => {
  const cache = new RequestFactsCache();
  const list = (server: string) => cache.of({ kind: 'client', method: 'tools/list', params: {}, server });
  const first = list('0');
  expect(list('0')).toBe(first);
  for (let index = 1; index <= 4_000; index++) list(String(index));
  expect(list('0')).not.toBe(first);
  expect(list('0')).toEqual(first);
});
