import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
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

test.each(['fles.echo', 'fles/echo', 'mcp__fles__echo', 'mcp__files', 'nothere.*'])(
  'a denial %s whose server is misspelt is an error with --strict, and in roles and explain',
  async (denied) => {
    await using here = await project({
      'mcp_servers.yaml': serversFile([{ name: 'files', server: 'echo' }]),
      'tools.yaml': JSON.stringify({
        tools: { app: { role_restrictions: { review: { allowed_tools: ['files'], denied_tools: [denied] } } } },
      }),
    });
    const options = { cwd: here.folder, env: { PATH: process.env.PATH, MCPX_TRUST: '1' } };
    const warned = await runMcpx(['validate'], options);
    expect(warned.exitCode).toBe(exitCodes.ok);
    expect(warned.stderr.match(/ warning /g)).toHaveLength(1);
    const refused = await runMcpx(['validate', '--strict'], options);
    expect(refused.exitCode).toBe(exitCodes.config);
    expect(refused.stderr.match(/ error (unknown-server|rule-matches-nothing) /g)).toHaveLength(1);
    expect((await runMcpx(['roles'], options)).stderr).toContain(`denies "${denied}"`);
    expect((await runMcpx(['roles', 'explain', 'review', 'x'], options)).stdout).toContain(`denies "${denied}"`);
  },
);

test.each([true, false])(
  'a server without any tools silences no denial, whether it starts by itself: %s',
  async (auto) => {
    await using here = await project({
      'mcp_servers.yaml': serversFile([
        { name: 'files', server: 'echo', fields: { auto_start: auto } },
        { name: 'empty', server: 'named-tools', fields: { auto_start: auto } },
      ]),
      'tools.yaml': JSON.stringify({
        tools: {
          app: { role_restrictions: { review: { allowed_tools: ['files'], denied_tools: ['ehco', 'empty.x'] } } },
        },
      }),
    });
    const options = {
      cwd: here.folder,
      env: { PATH: process.env.PATH, MCPX_TRUST: '1' },
      stateDirectory: join(here.folder, 'state'),
    };
    await runMcpx(['discover', 'files'], options);
    const some = await runMcpx(['validate', '--strict'], options);
    expect(some.exitCode).toBe(exitCodes.ok);
    expect(some.stderr).toMatch(/warning rule-matches-nothing .*"ehco".*; not listed yet: "empty"/);
    await runMcpx(['discover', 'empty'], options);
    const all = await runMcpx(['validate', '--strict', '--json'], options);
    expect(all.exitCode).toBe(exitCodes.config);
    expect(JSON.parse(all.stdout)).toMatchObject({
      issues: [
        { code: 'rule-matches-nothing', severity: 'error', rule: 'ehco' },
        { code: 'rule-matches-nothing', severity: 'error', rule: 'empty.x' },
      ],
    });
  },
);

test('a permission that matches nothing is a warning with --strict, too', async () => {
  await using here = await known({ allowed_tools: ['files.ehco'] });
  const checked = await here.run('validate', '--strict');
  expect(checked.exitCode).toBe(exitCodes.ok);
  expect(checked.stderr).toContain('warning rule-matches-nothing');
});

test.each([
  ['files.zzzzzzzz', 'mcpx discover files'],
  ['zzzzzzzz', 'mcpx search "*"'],
])('the hint for %s, which resembles no tool, names a command that lists tools', async (denied, command) => {
  await using here = await known({ allowed_tools: ['files'], denied_tools: [denied] });
  expect((await here.run('validate')).stderr).toContain(`hint: to list the known tools, run: ${command}\n`);
  const words = command.replaceAll('"', '').split(' ').slice(1);
  expect(await here.run(...words)).toMatchObject({ exitCode: exitCodes.ok, stdout: expect.stringContaining('echo') });
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

test('roles lists permissions for servers that are not configured', async () => {
  await using here = await known({ allowed_tools: ['files', 'flies.echo'] });
  const { stderr } = await here.run('roles');
  expect(stderr).toMatch(
    /^warning: The role "review" allows "flies\.echo" at .*, but no server "flies" is configured; near: files\n$/,
  );
  expect(JSON.parse((await here.run('roles', '--json')).stdout)).toMatchObject({
    roles: [{ role: 'review', unmatched: [{ list: 'allowedTools', pattern: 'flies.echo' }] }],
  });
});

test('roles lists entries that match nothing', async () => {
  await using here = await known({ allowed_tools: ['files'], denied_tools: ['ehco'] });
  const { stderr } = await here.run('roles');
  expect(stderr).toMatch(/^warning: The role "review" denies "ehco" at .* near: mcp__files__echo\n$/);
  expect(JSON.parse((await here.run('roles', '--json')).stdout)).toMatchObject({
    roles: [{ role: 'review', unmatched: [{ list: 'deniedTools', pattern: 'ehco' }] }],
  });
});
