import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { exitCodes } from '../src/command.js';
import { userWorld } from './helpers/user-world.js';

afterEach(expectNoLeaks);

test('a reference starts in the folder of its file, from a subfolder too', async () => {
  const words = `'${process.execPath}' -e 'process.stdout.write(process.cwd())'`;
  const { command, args } = testServer('echo');
  const entry = { command, args, env: { PLACE: { secret_ref: `command:${words}` } } };
  await using user = await userWorld({
    'project/mcp_servers.yaml': JSON.stringify({ mcp_servers: { ours: entry } }),
  });
  await mkdir(join(user.project, 'sub'));
  const { exitCode, stdout, stderr } = await user.run(['call', 'ours.environment'], {
    cwd: join(user.project, 'sub'),
  });
  expect(exitCode, stderr).toBe(exitCodes.ok);
  expect(JSON.parse(stdout)).toMatchObject({ PLACE: user.project });
});
