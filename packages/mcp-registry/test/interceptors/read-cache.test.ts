import { interceptorsOf } from '@x/internal/views';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { cacheReads, type ReadCacheOptions } from '../../src/interceptors/read-cache.js';
import { createRegistry } from '../../src/registry.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const roles = [
  { role: 'dev', allowedTools: ['git'] },
  { role: 'ops', allowedTools: ['git'] },
];

function createReader(options?: ReadCacheOptions) {
  const registry = createRegistry({ roles, interceptors: [cacheReads(options)] });
  let reads = 0;
  const read = async (
    uri: string,
    answer: object,
    caller: { readonly role?: string; readonly principal?: string } = {},
  ) => {
    const { signal } = new AbortController();
    const interceptors = interceptorsOf(registry.view(caller));
    return interceptors?.read({ server: 'git', uri, signal }, async () => ({ ...answer, reads: ++reads }));
  };
  return { read, count: () => reads };
}

const ada = { role: 'dev', principal: 'ada' };

test('a private result serves the same role and principal until its time is over', async () => {
  const { read, count } = createReader();
  const answer = { contents: [{ uri: 'a', text: 'x' }], ttlMs: 1_000 };
  await read('a', answer, ada);
  vi.advanceTimersByTime(400);
  expect(await read('a', answer, ada)).toEqual({ ...answer, reads: 1, ttlMs: 600 });
  await read('b', answer, ada);
  await read('a', answer, { role: 'dev', principal: 'bob' });
  await read('a', answer, { role: 'ops', principal: 'ada' });
  expect(count()).toBe(4);
  vi.advanceTimersByTime(600);
  expect(await read('a', answer, ada)).toMatchObject({ reads: 5 });
});

test('a public result serves all callers, a private one only callers with a principal', async () => {
  const { read } = createReader();
  const open = { contents: [], ttlMs: 1_000, cacheScope: 'public' };
  await read('open', open, ada);
  expect(await read('open', open, { role: 'ops', principal: 'bob' })).toMatchObject({ reads: 1 });
  expect(await read('open', open)).toMatchObject({ reads: 1 });
  await read('own', { contents: [], ttlMs: 1_000 });
  expect(await read('own', { contents: [], ttlMs: 1_000 })).toMatchObject({ reads: 3 });
});

test.each([
  [{ contents: [] }],
  [{ contents: [], ttlMs: 0 }],
  [{ contents: [], ttlMs: -1 }],
  [{ contents: [], ttlMs: '1000' }],
  [{ resultType: 'input_required', ttlMs: 1_000 }],
])('%j is not kept', async (answer) => {
  const { read } = createReader();
  await read('a', answer, ada);
  expect(await read('a', answer, ada)).toMatchObject({ reads: 2 });
});

test('a caller cannot edit the result of another caller', async () => {
  const { read } = createReader();
  const answer = { contents: [{ uri: 'a', text: 'x' }], ttlMs: 1_000, cacheScope: 'public' };
  for (let round = 0; round < 3; round++) {
    const { contents } = (await read('a', answer)) as unknown as { contents: { text: string }[] };
    expect(contents[0]?.text).toBe('x');
    if (contents[0] !== undefined && round > 0) contents[0].text = 'edited';
  }
});

test('the time and the size are bounded, and the oldest result goes first', async () => {
  const { read } = createReader({ maxTtlMs: 100, maxCharacters: 250 });
  const answer = { contents: [{ text: 'x'.repeat(40) }], ttlMs: 10_000 };
  for (const uri of ['a', 'b', 'c']) await read(uri, answer, ada);
  expect(await read('c', answer, ada)).toMatchObject({ reads: 3, ttlMs: 100 });
  expect(await read('a', answer, ada)).toMatchObject({ reads: 4 });
  await read('huge', { contents: [{ text: 'x'.repeat(300) }], ttlMs: 10_000 }, ada);
  expect(await read('a', answer, ada)).toMatchObject({ reads: 4 });
  vi.advanceTimersByTime(100);
  expect(await read('a', answer, ada)).toMatchObject({ reads: 6 });
});

test('a failed read is not kept', async () => {
  const registry = createRegistry({ interceptors: [cacheReads()] });
  const { signal } = new AbortController();
  const interceptors = interceptorsOf(registry.view());
  const failing = () => Promise.reject(new Error('gone'));
  await expect(interceptors?.read({ server: 'git', uri: 'a', signal }, failing)).rejects.toThrow('gone');
  expect(await interceptors?.read({ server: 'git', uri: 'a', signal }, async () => ({ contents: [] }))).toEqual({
    contents: [],
  });
});

test.each([[{ maxTtlMs: 0 }], [{ maxBytes: 1 }]])('%j are no options', (options) => {
  expect(() => cacheReads(options as never)).toThrow(/^max/);
});
