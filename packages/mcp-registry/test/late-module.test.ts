import { withResolvers } from '@x/internal/async';
import { expect, test } from 'vitest';
import { Lifetime } from '../src/catalog/lifetime.js';
import { LateModule } from '../src/late-module.js';

test('loads once for all callers', async () => {
  let loads = 0;
  const module = new LateModule(async () => ({ number: ++loads }));
  expect(module.loaded).toBeUndefined();
  const [one, other] = await Promise.all([module.load(), module.load()]);
  expect(one).toBe(other);
  expect(module.loaded).toBe(one);
  expect(await module.loadUnless({ lifetime: new Lifetime() })).toBe(one);
  expect(loads).toBe(1);
});

test('tries again after a load that failed', async () => {
  const failure = new Error('offline');
  let isOffline = true;
  const module = new LateModule(async () => {
    if (isOffline) throw failure;
    return 'code';
  });
  await expect(module.load()).rejects.toBe(failure);
  isOffline = false;
  expect(await module.load()).toBe('code');
});

test('a wait ends with its signal, and the load goes on for others', async () => {
  const download = withResolvers<string>();
  const module = new LateModule(() => download.promise);
  const lifetime = new Lifetime();
  const given = new AbortController();
  const waiting = module.loadUnless({ lifetime, signal: given.signal });
  const other = module.loadUnless({ lifetime });
  given.abort('enough');
  await expect(waiting).rejects.toBe('enough');
  download.resolve('code');
  expect(await other).toBe('code');
});

test('a wait ends with the lifetime', async () => {
  const module = new LateModule(() => new Promise<never>(() => undefined));
  const lifetime = new Lifetime();
  const waiting = module.loadUnless({ lifetime });
  lifetime.end('closed');
  await expect(waiting).rejects.toBe('closed');
  await expect(module.loadUnless({ lifetime })).rejects.toBe('closed');
});
