import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterEach, expect, test, vi } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { stubUserConfig } from '../helpers/user-config.js';
import { userWorld } from '../helpers/user-world.js';

afterEach(async () => {
  vi.unstubAllEnvs();
  await expectNoLeaks();
});

const echo = { ...testServer('echo'), auto_start: true };
const servers = (entries: object): string => JSON.stringify({ mcp_servers: entries });

/** A user with a server of their own, in a directory without a config, beside a project with another one. */
async function world(ofProject: object) {
  const user = await userWorld({ 'nowhere/x': '', 'project/mcp_servers.yaml': servers(ofProject) });
  const config = stubUserConfig(user.home);
  await mkdir(config, { recursive: true });
  await writeFile(join(config, 'mcp_servers.yaml'), servers({ github: echo }));
  const nowhere = join(user.project, '..', 'nowhere');
  return { user, nowhere, [Symbol.asyncDispose]: () => user[Symbol.asyncDispose]() };
}

const call = (server: string) => ['call', `${server}.echo`, 'text=hi'];

test.skipIf(process.platform !== 'linux')('the mode of a user holds in every project', async () => {
  await using stage = await world({ other: echo });
  const { user, nowhere } = stage;
  await user.run(['pins', 'mode', 'approve'], { cwd: nowhere });
  expect((await user.run(call('github'), { cwd: nowhere })).exitCode).not.toBe(exitCodes.ok);
  const held = await user.run(call('github'));
  expect(held.exitCode).not.toBe(exitCodes.ok);
  expect(held.stderr).toContain('is not offered');
  expect((await user.run(call('other'))).stderr).toContain('is not offered');
});

test.skipIf(process.platform !== 'linux')(
  'an approval of a user holds in every project, for that server alone',
  async () => {
    await using stage = await world({ other: echo });
    const { user, nowhere } = stage;
    await user.run(['pins', 'mode', 'approve'], { cwd: nowhere });
    await user.run(['discover', 'github', '--refresh'], { cwd: nowhere });
    expect((await user.run(['pins', 'approve', '--server', 'github'], { cwd: nowhere })).exitCode).toBe(exitCodes.ok);
    expect((await user.run(call('github'))).exitCode).toBe(exitCodes.ok);
    expect((await user.run(call('other'))).exitCode).not.toBe(exitCodes.ok);
  },
);

test.skipIf(process.platform !== 'linux')(
  'a server of a project gets neither mode nor approvals of the one whose name it takes',
  async () => {
    await using stage = await world({ github: { ...echo, env: { OF: 'project' } } });
    const { user, nowhere } = stage;
    await user.run(['pins', 'mode', 'approve', 'github'], { cwd: nowhere });
    await user.run(['discover', 'github', '--refresh'], { cwd: nowhere });
    await user.run(['pins', 'approve', '--server', 'github'], { cwd: nowhere });
    expect((await user.run(call('github'), { cwd: nowhere })).exitCode).toBe(exitCodes.ok);
    const replaced = await user.run(call('github'));
    expect(replaced.exitCode).not.toBe(exitCodes.ok);
    expect(replaced.stderr).toContain('is not offered');
    const status = await user.run(['status']);
    expect(status.stderr).toContain('"github" replaces your server of the same name, in ');
    expect((await user.run(['validate'])).stderr).toContain('warning replaced-server');
    expect((await user.run(['doctor'])).stdout).toContain('replaced-server');
  },
);

test('ignores files of modes and pins with another layout', async () => {
  await using user = await userWorld({
    'project/mcp_servers.yaml': servers({ echo }),
    'state/trust/0123456789abcdef/modes.json': '{"default":"approve","servers":{}}',
    'state/trust/0123456789abcdef/pins.json': '{"version":1,"servers":[]}',
    'state/trust/pins.json': '{"version":1,"servers":[{"server":"echo","tools":[]}]}\n',
  });
  expect((await user.run(call('echo'))).exitCode).toBe(exitCodes.ok);
});
