import { access, chmod, cp, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClientManager } from '@x/mcp-client-manager';
import { checkExtension, resolveExtension } from '@x/mcp-config-schema/extension';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterAll, beforeAll, expect } from 'vitest';
import { type UserWorld, userWorld } from '../helpers/user-world.js';
import { row, sample } from './row.js';

const name = 'vs-subagent-mcp';
const hosts = sample('config-sync/tools.txt').trim().split(', ');
const zed = '// mine\n{ "theme": "One Dark", "context_servers": { "mine": { "command": "my-server" } } }\n';
const cursor = '{ "mcpServers": {} }\n';
const script = '.vaultspec/lib/scripts/subagent.py';

let user: UserWorld;
/** The project, and the folder that is `/path/to` in the sample. */
let root: string;
let base: string;
let extension: string;

beforeAll(async () => {
  const folder = 'project/.repository/extensions/vault-spec';
  user = await userWorld({
    [`${folder}/extension.toml`]: sample('config-sync/extension.toml'),
    [`${folder}/mcp.json`]: sample('config-sync/mcp.json'),
    // A start leaves a mark.
    [`${folder}/.venv/bin/python`]: '#!/bin/sh\necho started >> "$(dirname "$0")/started"\n',
    [`project/container/${script}`]: '',
    'project/container/.zed/settings.json': zed,
    'project/container/.cursor/mcp.json': cursor,
  });
  base = await realpath(user.project);
  root = join(base, 'container');
  extension = join(base, '.repository/extensions/vault-spec');
  await chmod(join(extension, '.venv/bin/python'), 0o755);
});

afterAll(async () => {
  await user[Symbol.asyncDispose]();
  await expectNoLeaks();
});

const sync = (...argv: string[]) => user.run(['sync', ...argv, '--extension', extension, '--yes'], { cwd: root });
const syncAll = (...argv: string[]) => sync(...hosts, '--scope', 'project', ...argv);
const textOf = (path: string) => readFile(join(root, path), 'utf8');
const entryIn = async (path: string) => JSON.parse(await textOf(path)).mcpServers[name];
const resolved = async () => (await resolveExtension(extension, { root })).servers[0];

/** The sample result, with the folder of this test for `/path/to`. */
const expected = () => JSON.parse(sample('config-sync/resolved.json').replaceAll('/path/to', base))[name];

/** A copy of the extension with another file in it. */
async function changed(file: string, text: string): Promise<string> {
  const copy = join(base, 'copy');
  await rm(copy, { recursive: true, force: true });
  await cp(extension, copy, { recursive: true });
  await writeFile(join(copy, file), text);
  return copy;
}

row(153, async () => {
  expect(await checkExtension(extension, { root })).toMatchObject({ issues: [] });
});

row(154, async () => {
  expect((await resolveExtension(extension, { root })).servers).toMatchObject([{ name }]);
});

row(155, async () => {
  const inline = await changed('extension.toml', '[provides.mcp.mcpServers.a]\ncommand = "a"\n');
  const { issues } = await checkExtension(inline, { root });
  expect(issues).toMatchObject([{ code: 'invalid-value', severity: 'error' }]);
});

row(156, async () => {
  const missing = await changed('extension.toml', 'provides.mcp = "mcp.jsn"\n');
  const { exitCode, stderr } = await user.run(['sync', 'cursor', '--extension', missing, '--yes'], { cwd: root });
  expect(exitCode).toBe(3);
  expect(stderr).toContain('extension.toml:1:16 error missing-file');
});

row(157, async () => {
  expect(await resolved()).toMatchObject({ command: join(extension, '.venv/bin/python') });
});

row(158, async () => {
  const copy = await changed('mcp.json', sample('config-sync/mcp.json'));
  await rm(join(copy, '.venv'), { recursive: true });
  const { issues, extension: checked } = await checkExtension(copy, { root });
  expect(issues).toMatchObject([{ code: 'no-virtual-environment', severity: 'warning' }]);
  expect(checked?.servers).toMatchObject([{ command: 'python' }]);
});

row(159, async () => expect(await resolved()).toMatchObject({ args: [script, 'serve', '--root', root] }));

row(160, async () => {
  const entry = { command: '{{runtime.python}}', args: ['x', '--folder={{root}}'] };
  const copy = await changed('mcp.json', JSON.stringify({ mcpServers: { [name]: entry } }));
  const { servers } = await resolveExtension(copy, { root });
  expect(servers).toMatchObject([{ command: join(copy, '.venv/bin/python'), args: ['x', `--folder=${root}`] }]);
});

row(161, async () => expect(await resolved()).toMatchObject({ command: expected().command }));

row(162, async () => expect(await resolved()).toMatchObject({ args: expected().args }));

row(163, async () => {
  await syncAll();
  const { env, ...rest } = expected();
  expect(env).toEqual({});
  expect(await entryIn('.roo/mcp.json')).toEqual(rest);
});

row(164, async () => {
  const variable = /`(\w+)` env var/.exec(sample('config-sync/server.txt'))?.[1] ?? '';
  expect(await resolved()).toMatchObject({ env: {} });
  const manifest = `${sample('config-sync/extension.toml')}root_variable = "${variable}"\n`;
  const { servers } = await resolveExtension(await changed('extension.toml', manifest), { root });
  expect(servers).toMatchObject([{ env: { [variable]: root } }]);
});

row(165, async () => {
  expect((await syncAll()).exitCode).toBe(0);
  for (const path of ['.mcp.json', '.roo/mcp.json', '.junie/mcp/mcp.json']) {
    expect(await entryIn(path), path).toMatchObject({ command: expected().command });
  }
  expect(await textOf('.zed/settings.json')).toContain(JSON.stringify(expected().command));
});

row(166, async () => {
  const lists = await Promise.all(['user', 'project'].map((scope) => user.run(['sync', '--list', '--scope', scope])));
  const names = lists.map(({ stdout }) => stdout).join('');
  for (const host of ['claude-code', 'claude-desktop', 'junie', 'jetbrains-ai-assistant'])
    expect(names).toContain(host);
  await syncAll();
  expect(await entryIn('.mcp.json')).toMatchObject({ command: expected().command }); // of Claude Code
});

row(167, async () => {
  await syncAll();
  expect(await textOf('.cursor/mcp.json')).toBe(cursor);
});

row(168, async () => {
  await mkdir(join(user.home, '.codex'), { recursive: true });
  await writeFile(join(user.home, '.codex/config.toml'), 'model = "o9"\n');
  const { exitCode, stdout } = await sync('codex', 'goose', '--json');
  expect(exitCode).toBe(0);
  const files = (JSON.parse(stdout) as { steps: { file: string }[] }).steps.map(({ file }) => file);
  const toml = files.find((file) => file.endsWith('.toml')) ?? '';
  const yaml = files.find((file) => file.endsWith('.yaml')) ?? '';
  expect(await readFile(toml, 'utf8')).toContain(`[mcp_servers.${name}]`);
  expect(await readFile(yaml, 'utf8')).toMatch(new RegExp(`^ +${name}:`, 'm'));
});

row(169, async () => {
  await syncAll();
  expect(await textOf('.zed/settings.json')).toContain('"mine": { "command": "my-server" }');
  await syncAll('--remove');
  expect(await textOf('.zed/settings.json')).toBe(zed);
});

row(170, async () => {
  await syncAll();
  await expect(access(join(extension, '.venv/bin/started'))).rejects.toMatchObject({ code: 'ENOENT' });
});

row(171, async () => {
  await syncAll();
  expect((await syncAll()).stdout).toBe('Nothing to do: every host app has these servers.\n');
  const servers = { [name]: { command: 'python', args: ['-m', 'other'] } };
  await writeFile(join(extension, 'mcp.json'), JSON.stringify({ mcpServers: servers }));
  await syncAll();
  expect(await entryIn('.mcp.json')).toMatchObject({ args: ['-m', 'other'] });
  await writeFile(join(extension, 'mcp.json'), sample('config-sync/mcp.json'));
  await syncAll();
});

row(172, async () => {
  const [, tools = ''] = /5 MCP tools:\*\* (.*)/.exec(sample('config-sync/server.txt')) ?? [];
  const [, template = ''] = /Dynamic resources:\*\* `(.*?)`/.exec(sample('config-sync/server.txt')) ?? [];
  const { args = [] } = expected();
  const [, ...words] = args as string[]; // without the script
  await using manager = createClientManager({ mcpServers: { [name]: testServer('subagents', ...words) } });
  const server = manager.server(name);
  expect((await server.discoverTools()).map((tool) => tool.name)).toEqual(tools.split(', '));
  const { items } = await server.listResourceTemplates();
  expect(items).toMatchObject([{ uriTemplate: template }]);
  const { contents } = await server.readResource(template.replace('{name}', 'coder'));
  expect(contents).toMatchObject([{ text: 'The agent coder' }]);
});

row(173, async () => {
  expect(sample('config-sync/server.txt')).toContain(`**Server name:** \`${name}\``);
  await syncAll();
  expect(Object.keys(JSON.parse(await textOf('.mcp.json')).mcpServers)).toEqual([name]);
});
