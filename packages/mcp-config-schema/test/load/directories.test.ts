import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkFiles } from '../../src/load.js';
import { type ConfigFolder, configFolder } from '../helpers/config-folder.js';

const logsIn = (directory: string) =>
  `mcp_servers: { ours: { command: x } }\nmcp_settings: { log_directory: ${JSON.stringify(directory)} }\n`;

/** A project with a `log_directory`, and a user with a server. */
const worldWith = (directory: string) =>
  configFolder({
    'project/mcp_servers.yaml': logsIn(directory),
    'user/mcp_servers.yaml': 'mcp_servers: { mine: { command: x } }\n',
  });

async function check({ path }: ConfigFolder) {
  const { config, issues } = await checkFiles({ cwd: join(path, 'project'), userDirectory: join(path, 'user') });
  if (config === undefined) throw new Error('there is no config');
  const logs = Object.fromEntries(config.servers.map(({ name, logDirectory }) => [name, logDirectory]));
  return { logs, settings: config.settings, issues };
}

describe('log_directory of a project', () => {
  test.each(['logs', './a/b', 'a/../b', '..logs'])('%s applies only to servers of the project', async (directory) => {
    await using folder = await worldWith(directory);
    const { logs, settings, issues } = await check(folder);
    const path = join(folder.path, 'project', directory);
    expect(issues).toEqual([]);
    expect(logs).toEqual({ ours: path, mine: undefined });
    expect(settings).toMatchObject({ logDirectory: path, logDirectorySource: { line: 2 } });
  });

  test.each(['..', '../made', 'a/../../made', '/var/log/made'])(
    '%s outside of it has no effect, with a warning',
    async (directory) => {
      await using folder = await worldWith(directory);
      const { logs, settings, issues } = await check(folder);
      expect(issues).toMatchObject([
        { code: 'outside-project', severity: 'warning', file: 'mcp_servers.yaml', line: 2, column: 17 },
      ]);
      expect(logs).toEqual({ ours: undefined, mine: undefined });
      expect(settings.logDirectory).toBe(join(folder.path, 'project', 'logs', 'mcp_servers'));
      expect(settings.logDirectorySource).toBeUndefined();
    },
  );

  test.skipIf(process.platform === 'win32').each([
    ['a directory elsewhere', '../elsewhere', 'logs'],
    ['nowhere', '../nowhere', 'logs'],
    ['a directory elsewhere, further up', '../elsewhere', 'logs/a/b'],
  ])('a link to %s leads out of it', async (_, target, directory) => {
    await using folder = await worldWith(directory);
    await mkdir(join(folder.path, 'elsewhere'));
    await symlink(target, join(folder.path, 'project', 'logs'));
    expect((await check(folder)).issues).toMatchObject([{ code: 'outside-project' }]);
  });

  test.skipIf(process.platform === 'win32')('applies also to a project that is found through a link', async () => {
    await using folder = await worldWith('logs');
    await symlink('project', join(folder.path, 'link'));
    const { config, issues } = await checkFiles({ cwd: join(folder.path, 'link'), layers: ['project'] });
    expect(issues).toEqual([]);
    expect(config?.servers).toMatchObject([{ logDirectory: join(folder.path, 'link', 'logs') }]);
  });
});

test('an explicit file and one of the user may have logs anywhere', async () => {
  await using folder = await configFolder({
    'given/mcp_servers.yaml': logsIn('../logs'),
    'user/mcp_servers.yaml': logsIn('../logs'),
  });
  const logs = join(folder.path, 'logs');
  const named = await checkFiles({ cwd: folder.path, files: ['given'] });
  expect([named.issues, named.config?.servers[0]?.logDirectory]).toEqual([[], logs]);
  const ofUser = await checkFiles({ cwd: folder.path, layers: ['user'], userDirectory: join(folder.path, 'user') });
  expect([ofUser.issues, ofUser.config?.servers[0]?.logDirectory]).toEqual([[], logs]);
});
