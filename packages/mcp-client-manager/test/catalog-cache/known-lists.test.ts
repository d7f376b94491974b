import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import type { ManagedServer } from '../../src/servers/managed-server.js';
import { temporaryDirectory } from '../helpers/processes.js';
import { fixtureSpec, managerWith, serverSpec } from '../helpers/servers.js';

afterEach(expectNoLeaks);

const listed = { completeness: 'complete', problems: [] };

async function listsOf(server: ManagedServer): Promise<readonly unknown[]> {
  const options = { wake: false };
  return Promise.all([
    server.listResources(options),
    server.listResourceTemplates(options),
    server.listPrompts(options),
  ]);
}

test('another host process knows the lists of a server without starting it', async () => {
  const directory = await temporaryDirectory();
  const [era, log, stateDirectory] = [join(directory, 'era'), join(directory, 'log'), join(directory, 'state')];
  await writeFile(era, 'legacy');
  const spec = fixtureSpec('changes-era.mjs', [era, log]);
  {
    await using manager = managerWith({ stateDirectory }, spec);
    const server = manager.server('fixture');
    expect((await server.listResources()).cachedAt).toBeUndefined();
    await Promise.all([server.listResourceTemplates(), server.listPrompts()]);
  }
  await writeFile(log, '');
  await using manager = managerWith({ stateDirectory }, spec);
  const server = manager.server('fixture');
  const cachedAt = expect.any(Number);
  expect(await listsOf(server)).toEqual([
    { ...listed, items: [{ uri: 'file:///a', name: 'a' }], cachedAt },
    { ...listed, items: [{ uriTemplate: 'file:///{path}', name: 'any' }], cachedAt },
    { ...listed, items: [{ name: 'ask' }], cachedAt },
  ]);
  expect(server.state).toBe('stopped');
  expect(await readFile(log, 'utf8')).toBe('');
});

test('a running server is requested anyway', async () => {
  await using manager = managerWith({}, serverSpec('resources-and-prompts'));
  const server = manager.server('resources-and-prompts');
  await server.start();
  const { items, cachedAt } = await server.listPrompts({ wake: false });
  expect(items).not.toHaveLength(0);
  expect(cachedAt).toBeUndefined();
});

test('a list that was never requested is unavailable, and one that the server lacks is empty', async () => {
  await using manager = managerWith({}, serverSpec('resources-and-prompts'), serverSpec('echo'));
  const [full, echo] = [manager.server('resources-and-prompts'), manager.server('echo')];
  expect(await listsOf(full)).toMatchObject([
    { items: [], completeness: 'unavailable', problems: [expect.stringContaining('is not running')] },
    { completeness: 'unavailable' },
    { completeness: 'unavailable' },
  ]);
  await Promise.all([full.start(), echo.start()]);
  await Promise.all([full.stop(), echo.stop()]);
  expect(await full.listPrompts({ wake: false })).toMatchObject({ completeness: 'unavailable' });
  expect(await echo.listPrompts({ wake: false })).toMatchObject({ ...listed, items: [] });
});

test('lists outlive the next start of the same launch, and not another launch', async () => {
  const spec = serverSpec('resources-and-prompts');
  await using manager = managerWith({}, spec);
  const server = manager.server('resources-and-prompts');
  const { items } = await server.listPrompts();
  await server.restart();
  await server.stop();
  expect(await server.listPrompts({ wake: false })).toMatchObject({ ...listed, items });
  await manager.apply({ servers: [{ ...spec, env: { OTHER: 'yes' } }] });
  expect(await server.listPrompts({ wake: false })).toMatchObject({ completeness: 'unavailable' });
});
