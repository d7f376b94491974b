import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { openSession } from '../../helpers/open-session.js';

afterEach(expectNoLeaks);

const { signal } = new AbortController();

/** In the order of `keys`, each once, and once more at most for every second that the machine took over it. */
function expectOncePerSecond(told: readonly string[], keys: readonly string[], startedAt: number): void {
  const seconds = Math.floor((performance.now() - startedAt) / 1_000);
  expect(Array.from(new Set(told))).toEqual(keys);
  for (const key of keys) expect(told.filter((one) => one === key).length).toBeLessThanOrEqual(1 + seconds);
}

test('reports valid log entries only', async () => {
  await using opened = await openSession('resources-and-prompts');
  await opened.text('log', { level: 'warning', logger: 'disk', data: { free: 1 } });
  await opened.text('log', { level: 'loud', data: 'no level of the protocol' });
  expect(opened.log).toEqual([{ level: 'warning', logger: 'disk', data: { free: 1 }, about: 'several' }]);
});

test('sets the log level', async () => {
  await using opened = await openSession('resources-and-prompts');
  await opened.session.request('logging/setLevel', { level: 'error' }, { signal });
  expect(await opened.text('level')).toBe('error');
});

test('reports a thousand changes of one list once', async () => {
  await using opened = await openSession('resources-and-prompts');
  const startedAt = performance.now();
  for (const list of ['resources', 'prompts', 'tools']) await opened.text('announce', { list, times: 1_000 });
  expectOncePerSecond(opened.lists, ['resources', 'prompts', 'tools'], startedAt);
});

test('reports a hundred changes of one resource once', async () => {
  await using opened = await openSession('resources-and-prompts');
  const startedAt = performance.now();
  await opened.text('touch', { uri: 'test://a', times: 100 });
  await opened.text('touch', { uri: 'test://b' });
  expectOncePerSecond(opened.updated, ['test://a', 'test://b'], startedAt);
});

test('reports unknown notifications unchanged, and rate-limits a flood', async () => {
  const told: unknown[] = [];
  const startedAt = performance.now();
  const onNotification = (method: string, params: unknown) => told.push({ method, params });
  await using opened = await openSession('floods-notifications', { listeners: { onNotification } });
  await opened.text('flood', { count: 20_000, method: 'notifications/unheard-of' });
  expect(told[0]).toEqual({ method: 'notifications/unheard-of', params: { any: 'thing' } });
  const seconds = (performance.now() - startedAt) / 1_000;
  expect(told.length).toBeLessThanOrEqual(1_000 + 200 * seconds + 1);
});

test('reports no notification after close', async () => {
  await using opened = await openSession('resources-and-prompts');
  await opened.session.close();
  expect(opened.lists).toEqual([]);
});

test('a flood of notifications delays neither calls nor the event loop', async () => {
  await using opened = await openSession('floods-notifications');
  let turns = 0;
  const order: string[] = [];
  const count = (): void => {
    turns += 1;
    if (order.length < 2) setImmediate(count);
  };
  setImmediate(count);
  const flood = opened.text('flood', { count: 200_000 }).then((text) => order.push(text));
  await opened.text('echo', { text: 'through' }).then((text) => order.push(text));
  await flood;
  expect(order).toEqual(['through', 'flooded']);
  expect(turns).toBeGreaterThan(10);
  expect(opened.log.length).toBeLessThan(40_000); // that many entries were sent
  expect(opened.lists).toContain('tools');
});
