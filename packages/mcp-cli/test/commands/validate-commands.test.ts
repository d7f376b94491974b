// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { userWorld } from '../helpers/user-world.js';

const config = `mcp_servers:
  there:
    command: node server.js
  gone:
    command: no-such-program-anywhere --flag
  file:
    command: [./tools/not-executable]
  folder:
    command: node
    cwd: no-such-folder
  unset:
    command: '\${NOT_SET:-}x\${ALSO_NOT_SET}'
  off:
    command: no-such-program-either
    disabled: true
  me:
    command: no-such-mcpx
    env: { MCPX_GATEWAY: '1' }
`;

async function issuesOf(env: Record<string, string> = {}) {
  const user = await userWorld({ 'project/mcp_servers.yaml': config });
  await mkdir(join(user.project, 'tools'));
  await writeFile(join(user.project, 'tools/not-executable'), '');
  await chmod(join(user.project, 'tools/not-executable'), 0o600);
  const { exitCode, stdout } = await user.run(['validate', '--json'], { env });
  const { issues } = JSON.parse(stdout) as {
    issues: { code: string; path: string[]; line: number; message: string }[];
  };
  await user[Symbol.asyncDispose]();
  const missing = issues.filter(({ code }) => code === 'missing-command');
  return { exitCode, issues, missing: missing.map(({ path, line }) => `${path.slice(1).join('.')} ${line}`) };
}

test('a command that cannot be run here is a warning, at its line', async () => {
  const { exitCode, missing, issues } = await issuesOf({ ALSO_NOT_SET: 'node' });
  expect(missing).toEqual(['gone.command 5', 'file.command 7', 'folder.cwd 10', 'unset.command 12']);
  expect(exitCode).toBe(exitCodes.ok);
  expect(issues.find(({ path }) => path[1] === 'gone')).toMatchObject({
    severity: 'warning',
    hint: expect.any(String),
  });
});

test('a missing variable is an error, and its server is not looked up', async () => {
  const { exitCode, missing, issues } = await issuesOf();
  expect(missing).not.toContain('unset.command 12');
  expect(issues.find(({ code }) => code === 'unset-variable')).toMatchObject({
    severity: 'error',
    path: ['mcp_servers', 'unset', 'command'],
  });
  expect(exitCode).toBe(exitCodes.config);
});

test('without consent only a name is looked up, in the PATH of the user', async () => {
  const { missing } = await issuesOf({ MCPX_TRUST: '0', ALSO_NOT_SET: 'node' });
  expect(missing).toEqual(['gone.command 5', 'unset.command 12']);
});
