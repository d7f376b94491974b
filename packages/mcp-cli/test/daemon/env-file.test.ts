// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import { join } from 'node:path';
import { expectNoLeaks, findLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { markedEcho, userMachine } from '../helpers/user-machine.js';
import { userWorld } from '../helpers/user-world.js';

afterEach(expectNoLeaks);

const secret = 'SENTINEL-5f1c9a7e2b';

async function machine() {
  return userMachine({
    'work/mcp_servers.yaml': JSON.stringify({
      mcp_servers: { api: { ...markedEcho({ env: { API_TOKEN: '${GIVEN_TOKEN}' } }), auto_start: true } },
    }),
    'work/deep/x': '',
    'keys/prod.env': `GIVEN_TOKEN=${secret}\n`,
  });
}

test('--env-file fills variables of the config and nothing else, and has a daemon of its own', async () => {
  await using ann = await machine();
  await ann.run(['trust', '--yes'], { cwd: 'work' });
  const named = ['--env-file', '../keys/prod.env'];
  const up = await ann.run(['up', ...named], { cwd: 'work' });
  expect(up).toMatchObject({ exitCode: exitCodes.ok, stdout: expect.stringContaining('api is up') });
  const [server] = await ann.processes();
  if (process.platform === 'linux') {
    expect((await findLeaks(`API_TOKEN=${secret}`)).map(({ pid }) => pid)).toEqual([server?.pid]);
    expect(await findLeaks(`GIVEN_TOKEN=${secret}`)).toEqual([]);
  }
  const absolute = ['--env-file', join(ann.folder, 'keys/prod.env')];
  const called = await ann.run(['call', ...absolute, 'api.echo', 'text=hi'], { cwd: 'work/deep' });
  expect(called.stdout).toBe('hi\n');
  expect((await ann.processes()).map(({ pid }) => pid)).toEqual([server?.pid]);

  const without = await ann.run(['status', '--json'], { cwd: 'work' });
  expect(JSON.parse(without.stdout)).toMatchObject({
    servers: [{ needs: [{ kind: 'variable', name: 'GIVEN_TOKEN' }] }],
  });
  expect(JSON.parse(without.stdout)).not.toHaveProperty('daemon');
  const told = [up, called, without, await ann.run(['validate', ...named], { cwd: 'work' })];
  expect(told.at(-1)?.exitCode).toBe(exitCodes.ok);
  for (const { stdout, stderr } of told) expect(stdout + stderr).not.toContain(secret);
});

test('an edit of the file restarts the servers that use it', async () => {
  await using ann = await machine();
  await ann.run(['trust', '--yes'], { cwd: 'work' });
  const named = ['--env-file', '../keys/prod.env'];
  await ann.run(['up', ...named], { cwd: 'work' });
  const [before] = await ann.processes();
  await ann.write('keys/prod.env', 'GIVEN_TOKEN=another\n');
  expect((await ann.run(['up', ...named], { cwd: 'work' })).stdout).toMatch(/^restarted +api\n/);
  expect((await ann.processes()).map(({ pid }) => pid)).not.toContain(before?.pid);
  await ann.write('keys/prod.env', 'no line\n');
  expect((await ann.run(['status', ...named], { cwd: 'work' })).stderr).toMatch(
    /^warning: .*prod\.env:1:1 The line is not NAME=value: the daemon runs/,
  );
});

// In this process, because Node itself refuses such a file before a program runs.
test('a file that does not exist is an error', async () => {
  await using user = await userWorld({ 'project/mcp_servers.yaml': 'mcp_servers: {}\n' });
  for (const command of ['list', 'validate']) {
    const { exitCode, stderr } = await user.run([command, '--env-file', 'none.env']);
    expect(stderr).toContain(`${join(user.project, 'none.env')} does not exist`);
    expect(exitCode).toBe(exitCodes.config);
  }
});
