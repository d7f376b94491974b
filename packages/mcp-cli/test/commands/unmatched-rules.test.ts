import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { exitCodes } from '../../src/exit-codes.js';
import { project, serversFile } from '../helpers/project.js';
import { runMcpx } from '../helpers/run-mcpx.js';

afterEach(expectNoLeaks);

/** A project whose server has listed its tools once. */
async function known(rule: { allowed_tools: string[]; denied_tools?: string[] }) {
  const tools = JSON.stringify({ tools: { app: { role_restrictions: { review: rule } } } });
  const here = await project({ 'mcp_servers.yaml': serversFile([{ name: 'files', server: 'echo' }]) });
  const options = {
    cwd: here.folder,
    env: { PATH: process.env.PATH, MCPX_TRUST: '1' },
    stateDirectory: join(here.folder, 'state'),
  };
  await writeFile(join(here.folder, 'tools.yaml'), tools);
  const before = await runMcpx(['validate'], options);
  await runMcpx(['discover', 'files'], options);
  return { ...here, before, run: (...words: string[]) => runMcpx(words, options) };
}

test.each(['files.ehco', 'files/ehco', 'mcp__files__ehco', 'ehco'])(
  'a denial %s that matches no known tool is a warning, and an error with --strict',
  async (denied) => {
    await using here = await known({ allowed_tools: ['files'], denied_tools: [denied] });
    expect(here.before).toMatchObject({ exitCode: exitCodes.ok, stderr: '' }); // nothing is known yet
    const warned = await here.run('validate');
    expect(warned.exitCode).toBe(exitCodes.ok);
    expect(warned.stderr).toMatch(/tools\.yaml:1:\d+ warning rule-matches-nothing .*near: mcp__files__echo/);
    const refused = await here.run('validate', '--strict', '--json');
    expect(refused.exitCode).toBe(exitCodes.config);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      ok: false,
      issues: [{ code: 'rule-matches-nothing', severity: 'error', rule: denied }],
    });
  },
);

test('a permission that matches nothing is a warning with --strict, too', async () => {
  await using here = await known({ allowed_tools: ['files.ehco'] });
  const checked = await here.run('validate', '--strict');
  expect(checked.exitCode).toBe(exitCodes.ok);
  expect(checked.stderr).toContain('warning rule-matches-nothing');
});

test.each(['files.echo', 'files/echo', 'mcp__files__echo', 'echo', 'ech*', 'mcp__*__echo'])(
  'roles explain finds a denial %s under every spelling of the tool',
  async (denied) => {
    await using here = await known({ allowed_tools: ['files'], denied_tools: [denied] });
    for (const name of ['files.echo', 'files/echo', 'mcp__files__echo', 'echo']) {
      const { exitCode, stdout } = await here.run('roles', 'explain', 'review', name);
      expect(exitCode).toBe(exitCodes.ok);
      expect(stdout).toContain(`denies it with "${denied}"`);
    }
    expect((await here.run('validate')).stderr).toBe('');
  },
);

test('roles says which entries match nothing', async () => {
  await using here = await known({ allowed_tools: ['files'], denied_tools: ['ehco'] });
  const { stderr } = await here.run('roles');
  expect(stderr).toMatch(/^warning: The role "review" denies "ehco" at .* near: mcp__files__echo\n$/);
  expect(JSON.parse((await here.run('roles', '--json')).stdout)).toMatchObject({
    roles: [{ role: 'review', unmatched: [{ list: 'deniedTools', pattern: 'ehco' }] }],
  });
});
