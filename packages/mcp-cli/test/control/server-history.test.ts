import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { createLocalControl } from '../../src/control/local-control.js';
import { localStack } from '../helpers/local-stack.js';
import { type ServerEntry, serversFile } from '../helpers/project.js';

afterEach(expectNoLeaks);

test('a changed config is in the history of a server, and a removed server has none', async () => {
  const entry = (args: readonly string[] = [], fields = {}): ServerEntry => ({
    name: 'git',
    server: 'echo',
    args,
    fields,
  });
  await using here = await localStack([entry()]);
  const { stack, folder } = here;
  await using control = createLocalControl(stack);
  const kinds = async () => (await control.serverHistory({ server: 'git' })).map(({ kind }) => kind);
  const apply = async (...servers: ServerEntry[]) => {
    await writeFile(join(folder, 'mcp_servers.yaml'), serversFile(servers));
    await stack.reload();
  };
  expect(await kinds()).toEqual([]);
  await control.start({ servers: ['git'] });
  expect(await kinds()).toEqual(['starting', 'ready']);
  await apply(entry([], { priority: 5 }));
  expect(await kinds()).toEqual(['starting', 'ready', 'config-changed']);
  await apply(entry(['--other']));
  const after = (await kinds()).slice(3);
  expect(after).toContain('config-changed');
  expect(after).toContain('restarting');
  await apply({ name: 'other', server: 'echo' });
  await expect(control.serverHistory({ server: 'git' })).rejects.toMatchObject({ code: 'unknown-server' });
});

test('health checks that pass are one entry until something else happens', async () => {
  await using here = await localStack([{ name: 'git', server: 'echo' }]);
  await using control = createLocalControl(here.stack);
  const history = () => control.serverHistory({ server: 'git' });
  const check = () => control.health({ servers: ['git'] });
  await control.start({ servers: ['git'] });
  for (let checks = 0; checks < 3; checks += 1) await check();
  expect(await history()).toMatchObject([{ kind: 'starting' }, { kind: 'ready' }, { kind: 'checks-passed', count: 3 }]);
  await control.restart({ servers: ['git'] });
  await check();
  const kinds = (await history()).map(({ kind }) => kind);
  expect(kinds).toEqual(['starting', 'ready', 'checks-passed', 'restarting', 'starting', 'ready', 'checks-passed']);
});
