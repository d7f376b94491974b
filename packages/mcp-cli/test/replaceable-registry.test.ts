import { createRegistry, type Registry } from '@x/mcp-registry';
import { expect, test } from 'vitest';
import { ReplaceableRegistry } from '../src/replaceable-registry.js';
import { deferred } from './helpers/deferred.js';

async function isClosed(registry: Registry): Promise<boolean> {
  return await registry.search({ query: '*' }).then(
    () => false,
    () => true,
  );
}

test('one that nobody uses is closed when another takes its place', async () => {
  const [first, second] = [createRegistry(), createRegistry()];
  const registry = new ReplaceableRegistry({ registry: first });
  await registry.replace({ registry: second });
  expect(registry.current).toBe(second);
  expect([await isClosed(first), await isClosed(second)]).toEqual([true, false]);
  await registry.close();
  expect(await isClosed(second)).toBe(true);
});

test('one that is used is closed when the last use is over, whichever way it ends', async () => {
  const first = createRegistry();
  const registry = new ReplaceableRegistry({ registry: first });
  const [one, two] = [deferred(), deferred()];
  const uses = [
    registry.use(() => one.promise),
    registry.use(async () => {
      await two.promise;
      throw new Error('it fails');
    }),
  ];
  await registry.replace({ registry: createRegistry() });
  one.resolve();
  await uses[0];
  expect(await isClosed(first)).toBe(false);
  two.resolve();
  await expect(uses[1]).rejects.toThrow('it fails');
  expect(await isClosed(first)).toBe(true);
  await registry.close();
});

test('close closes those that are still used', async () => {
  const first = createRegistry();
  const registry = new ReplaceableRegistry({ registry: first });
  const end = deferred();
  const use = registry.use(() => end.promise);
  await registry.replace({ registry: createRegistry() });
  await registry.close();
  expect([await isClosed(first), await isClosed(registry.current)]).toEqual([true, true]);
  end.resolve();
  await use;
});
