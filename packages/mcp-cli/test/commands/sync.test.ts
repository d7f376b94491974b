// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { type UserWorld, userWorld } from '../helpers/user-world.js';

const secret = 'SENTINEL-5f1c9a7e2b';
const config = `mcp_servers:
  files: { command: npx, args: [-y, files-mcp], env: { FILES_TOKEN: "\${FILES_TOKEN}" } }
  web: { url: "https://example.com/mcp" }
tools:
  helper:
    role_restrictions:
      review: { allowed_tools: ["files.read"] }
`;
const servers = config.slice(0, config.indexOf('tools:'));
const tools = config.slice(config.indexOf('tools:'));
const before = '{\n  // mine\n  "mcpServers": { "db": { "command": "uvx" } }\n}\n';

async function world(files: Readonly<Record<string, string>> = {}): Promise<UserWorld> {
  return userWorld({
    'project/mcp_servers.yaml': servers,
    'project/tools.yaml': tools,
    'home/.cursor/mcp.json': before,
    ...files,
  });
}

const env = { FILES_TOKEN: secret };

test('shows what would change and writes nothing without consent', async () => {
  await using user = await world();
  const dry = await user.run(['sync', '--dry-run'], { env });
  expect(dry.exitCode).toBe(exitCodes.ok);
  expect(dry.stdout).toContain('add files (cursor-user)\n');
  expect(dry.stdout).toContain(`+++ ${join(user.home, '.cursor/mcp.json')}\n@@ -0,0 +1,10 @@ mcpServers › files\n`);
  expect(dry.stdout).toContain('+    "FILES_TOKEN": "${env:FILES_TOKEN}"\n');
  const asked = await user.run(['sync'], { env });
  expect(asked.exitCode).toBe(exitCodes.usage);
  expect(asked.stdout).toBe(dry.stdout);
  expect(asked.stderr).toContain('Add --yes to write the changes');
  expect(await user.read('home/.cursor/mcp.json')).toBe(before);
  expect(user.told()).not.toContain(secret);
});

test('--yes writes what is shown, once; --check reports remaining changes', async () => {
  await using user = await world();
  expect((await user.run(['sync', '--check'], { env })).exitCode).toBe(exitCodes.failed);
  const first = await user.run(['sync', '--yes'], { env });
  expect(first.exitCode).toBe(exitCodes.ok);
  expect(first.stdout).toContain('add web (cursor-user)\n');
  expect(first.stderr).toMatch(/^✓ changed .*\.cursor\/mcp\.json \(before: .*state\/backups\//);
  const written = await user.read('home/.cursor/mcp.json');
  expect(written).toContain('// mine');
  expect(written).toContain('"db": { "command": "uvx" }');
  expect(written).not.toContain(secret);
  const again = await user.run(['sync', '--check'], { env });
  expect(again).toMatchObject({ exitCode: exitCodes.ok, stdout: 'Nothing to do: every host app has these servers.\n' });
  await user.write('project/mcp_servers.yaml', 'mcp_servers: {}\n');
  await user.write('project/tools.yaml', 'tools: {}\n');
  expect((await user.run(['sync', '--yes'])).stdout).toContain('remove files (cursor-user)\n');
  expect(await user.read('home/.cursor/mcp.json')).toBe(before);
});

test('removes a disabled server from a host without an off state', async () => {
  await using user = await world();
  await user.run(['sync', 'cursor', '--yes'], { env });
  await user.write('project/mcp_servers.yaml', servers.replace('{ url:', '{ disabled: true, url:'));
  const { exitCode, stdout } = await user.run(['sync', 'cursor', '--yes'], { env });
  expect(exitCode).toBe(exitCodes.ok);
  expect(stdout).toContain('remove web (cursor-user)\n');
  expect(stdout).toContain('This host does not support disabled servers, so the server is left out');
  const written = await user.read('home/.cursor/mcp.json');
  expect(written).toContain('"files"');
  expect(written).not.toContain('example.com');
});

test('foreign entries stay, are reported, and count as a failure until --force', async () => {
  const foreign = '{ "mcpServers": { "web": { "url": "https://other.example/" } } }\n';
  await using user = await world({ 'home/.cursor/mcp.json': foreign });
  const { exitCode, stdout } = await user.run(['sync', 'cursor', '--yes'], { env });
  expect(exitCode).toBe(exitCodes.failed);
  expect(stdout).toContain('conflict web (cursor-user): foreign-entry, ');
  expect(await user.read('home/.cursor/mcp.json')).toContain('https://other.example/');
  expect((await user.run(['sync', 'cursor', '--yes', '--force'], { env })).exitCode).toBe(exitCodes.ok);
  expect(await user.read('home/.cursor/mcp.json')).not.toContain('https://other.example/');
});

test('two projects do not remove each other’s servers from the user’s files', async () => {
  await using user = await world({ 'other/mcp_servers.yaml': 'mcp_servers: { mail: { command: mail-mcp } }\n' });
  await user.run(['sync', '--yes'], { env });
  const other = await user.run(['sync', '--yes'], { cwd: join(user.project, '..', 'other') });
  expect(other.stdout).not.toContain('remove');
  const text = await user.read('home/.cursor/mcp.json');
  for (const name of ['db', 'files', 'web', 'mail']) expect(text).toContain(`"${name}"`);
});

test('--role writes one entry, a gateway with that role', async () => {
  await using user = await world();
  const daemonPrograms = { command: ['/usr/bin/node', '/opt/mcpx.js'], parent: [], worker: [] };
  const { exitCode } = await user.run(['sync', 'cursor', '--yes', '--role', 'review'], { env, daemonPrograms });
  expect(exitCode).toBe(exitCodes.ok);
  const text = (await user.read('home/.cursor/mcp.json')).replace('// mine', '');
  expect(JSON.parse(text).mcpServers).toEqual({
    db: { command: 'uvx' },
    mcpx: {
      command: join(user.state, 'bin', 'mcpx'),
      args: ['serve', '--config', user.project, '--role', 'review'],
      env: { MCPX_GATEWAY: '1' },
    },
  });
  expect(await user.read('state/bin/mcpx')).toContain("program='/opt/mcpx.js'");
  const unknown = await user.run(['sync', 'cursor', '--yes', '--role', 'reviw'], { env });
  expect(unknown.exitCode).toBe(exitCodes.usage);
  expect(unknown.stderr).toContain('Did you mean "review"?');
});

test('the gateway entry in a project’s file contains nothing of this machine', async () => {
  await using user = await world();
  const { exitCode } = await user.run(['sync', 'cursor', '--scope', 'project', '--gateway', '--yes'], { env });
  expect(exitCode).toBe(exitCodes.ok);
  expect(JSON.parse(await readFile(join(user.project, '.cursor/mcp.json'), 'utf8'))).toEqual({
    mcpServers: { mcpx: { command: 'npx', args: ['-y', '@x/mcp-cli@0', 'serve'], env: { MCPX_GATEWAY: '1' } } },
  });
  expect(await user.read('home/.cursor/mcp.json')).toBe(before);
});

test('the gateway entry of a project names files by their place in it, and none outside', async () => {
  await using user = await world({ 'project/config/own.yaml': servers });
  const words = ['sync', 'cursor', '--scope', 'project', '--gateway', '--yes'];
  const own = ['--config', join(user.project, 'config/own.yaml')];
  expect((await user.run([...words, ...own], { env })).exitCode).toBe(exitCodes.ok);
  const { mcpServers } = JSON.parse(await user.read('project/.cursor/mcp.json'));
  expect(mcpServers.mcpx.args.slice(2)).toEqual(['serve', '--config', 'config/own.yaml']);
  await user.write('home/other.yaml', servers);
  const outside = await user.run([...words, '--config', '../home/other.yaml'], { env });
  expect(outside.exitCode).toBe(exitCodes.usage);
  expect(outside.stderr).toContain('../home/other.yaml is outside of the project');
});

test.each([['--remove'], ['--gateway', '--remove']])(
  '%s %s takes the gateway entry out, byte for byte',
  async (...words) => {
    await using user = await world();
    await user.run(['sync', 'cursor', '--gateway', '--yes'], { env });
    expect(await user.read('home/.cursor/mcp.json')).toContain('"mcpx"');
    await rm(join(user.state, 'bin'), { recursive: true, force: true });
    expect(await user.run(['sync', 'cursor', ...words, '--yes'], { env })).toMatchObject({ exitCode: exitCodes.ok });
    expect(await user.read('home/.cursor/mcp.json')).toBe(before);
    await expect(stat(join(user.state, 'bin'))).rejects.toMatchObject({ code: 'ENOENT' }); // it needs no launcher
  },
);

test('a dry run shows the whole gateway entry and writes no launcher', async () => {
  await using user = await world();
  const daemonPrograms = { command: ['/usr/bin/node', '/opt/mcpx.js'], parent: [], worker: [] };
  const { stdout } = await user.run(['sync', 'cursor', '--gateway', '--dry-run'], { env, daemonPrograms });
  expect(stdout).toContain('"MCPX_GATEWAY": "1"');
  await expect(user.read('state/bin/mcpx')).rejects.toThrow('ENOENT');
});

test('prints JSON of planned and written changes', async () => {
  await using user = await world();
  const dry = JSON.parse((await user.run(['sync', 'cursor', '--dry-run', '--json'], { env })).stdout);
  expect(Object.keys(dry)).toEqual(['changes', 'steps', 'issues', 'written']);
  expect(dry).toMatchObject({ changes: true, written: [] });
  expect(dry.steps[0]).toEqual({
    type: 'add',
    host: 'cursor-user',
    file: join(user.home, '.cursor/mcp.json'),
    server: 'files',
    diff: expect.stringContaining('mcpServers › files'),
  });
  const done = JSON.parse((await user.run(['sync', 'cursor', '--yes', '--json'], { env })).stdout);
  expect(done.written).toEqual([
    { file: join(user.home, '.cursor/mcp.json'), outcome: 'changed', backup: expect.any(String) },
  ]);
});

test('a server that a host does not support fails only a named host', async () => {
  await using user = await world({ 'home/.config/Claude/claude_desktop_config.json': '{}' });
  const first = await user.run(['sync', '--yes'], { env });
  expect(first.stdout).toContain('error remote-not-supported web (claude-desktop)');
  expect(first.exitCode).toBe(exitCodes.ok);
  expect((await user.run(['sync', '--check'], { env })).exitCode).toBe(exitCodes.ok);
  expect((await user.run(['sync', 'claude-desktop', '--check'], { env })).exitCode).toBe(exitCodes.failed);
});

test('reports unknown hosts, no hosts and a broken file', async () => {
  await using user = await world({ 'home/.cursor/mcp.json': '{ broken' });
  const unknown = await user.run(['sync', 'cursr', '--yes'], { env });
  expect(unknown.exitCode).toBe(exitCodes.usage);
  expect(unknown.stderr).toContain('did you mean "cursor"?');
  const broken = await user.run(['sync', 'cursor', '--yes'], { env });
  expect(broken.exitCode).toBe(exitCodes.failed);
  expect(broken.stdout).toContain('error file-not-edited cursor-user: ');
  const none = await user.run(['sync', '--scope', 'project', '--yes'], { env });
  expect(none.exitCode).toBe(exitCodes.failed);
  expect(none.stderr).toContain('No config file of a host app was found in this project.');
  const list = await user.run(['sync', '--list', '--json']);
  expect(JSON.parse(list.stdout).hosts).toContainEqual(
    expect.objectContaining({ id: 'cursor-user', file: join(user.home, '.cursor/mcp.json') }),
  );
});

test('a path of the gateway entry is literal, also where it looks like a variable', async () => {
  await using user = await world({ 'project/${A}/mcp_servers.yaml': 'mcp_servers:\n  s: { command: uvx }\n' });
  const words = ['--config', '${A}/mcp_servers.yaml', '--gateway', '--yes'];
  const done = await user.run(['sync', 'claude-desktop', ...words]);
  expect(done.exitCode).toBe(exitCodes.ok);
  const file = /created (.*)/.exec(done.stderr)?.[1] ?? '';
  const path = join(user.project, '${A}', 'mcp_servers.yaml');
  expect(JSON.parse(await readFile(file, 'utf8')).mcpServers.mcpx.args).toEqual(['serve', '--config', path]);
  expect((await user.run(['sync', 'claude-desktop', ...words.slice(0, -1), '--check'])).exitCode).toBe(exitCodes.ok);
  const cursor = await user.run(['sync', 'cursor', ...words]);
  expect(cursor.exitCode).toBe(exitCodes.failed);
  expect(cursor.stdout).toContain('error looks-like-variable mcpx (cursor-user)');
});

test('--list shows the named hosts alone', async () => {
  await using user = await world({ 'home/.cursor/mcp.json': '{}' });
  const { exitCode, stdout } = await user.run(['sync', 'claude', 'cursor', '--list', '--json']);
  expect(exitCode).toBe(exitCodes.ok);
  expect(JSON.parse(stdout).hosts.map(({ id }: { id: string }) => id)).toEqual(['claude-code-user', 'cursor-user']);
  const unknown = await user.run(['sync', 'cursr', '--list']);
  expect(unknown.exitCode).toBe(exitCodes.usage);
  expect(unknown.stderr).toContain('did you mean "cursor"?');
});

test('--list shows a file of a project by its id, without a scope', async () => {
  await using user = await world({ 'project/.cursor/mcp.json': '{}' });
  const { stdout } = await user.run(['sync', 'claude-code-local', 'cursor-project', '--list']);
  expect(stdout).toMatch(/^claude-code-local, .*\n {2}file: none found\n/);
  expect(stdout).toMatch(/\ncursor-project, .*\n {2}file: .*mcp\.json\n/);
});

test('--list shows an app without a file here: of another platform, or of a project', async () => {
  await using user = await world({});
  const words = ['sync', 'xcode-codex', 'librechat', 'android-studio', '--list'];
  const { exitCode, stdout } = await user.run(words);
  expect(exitCode).toBe(exitCodes.ok);
  expect(stdout.match(/^\S+(?=, .*\n {2}file: none found$)/gm)).toEqual([
    'android-studio-user',
    'librechat-project',
    'xcode-codex',
  ]);
});

test('--scope project is advice for an app with files of a project alone, and for no other place', async () => {
  await using user = await world({});
  const { stderr } = await user.run(['sync', 'librechat', '--dry-run']);
  expect(stderr).toContain('librechat-project has no file without a project.\nUse --scope project');
  const studio = await user.run(['sync', 'android-studio', '--dry-run']);
  expect(studio.stderr).toMatch(/start the host once, which makes it\.\n$/);
  expect((await user.run(['sync', 'librechat', '--scope', 'project', '--dry-run'])).exitCode).toBe(exitCodes.ok);
});

test.each([80, 60, 40])('--list of every host app by its id fits %i columns', async (columns) => {
  await using user = await world({ 'home/.codex/config.toml': '' });
  const { hosts } = JSON.parse((await user.run(['sync', '--list', '--json'])).stdout);
  const ids = hosts.map(({ id }: { id: string }) => id);
  const shownBy = async (words: readonly string[]): Promise<string> => {
    let shown = '';
    await user.run(words, { stdout: { isTTY: true, columns, write: (text: string) => (shown += text) } });
    return shown;
  };
  const facts = await shownBy(['sync', ...ids, '--list']);
  expect(ids.filter((id: string) => !facts.includes(`${id}, `))).toEqual([]);
  const rows = `${facts}${await shownBy(['sync', '--list'])}`.split('\n');
  expect(rows.filter((row) => row.length > columns)).toEqual([]);
});

test('a variable with a relative path is named, for its app alone', async () => {
  await using user = await world({ 'home/.cursor/mcp.json': '{}' });
  const env = { VIBE_HOME: 'vibe', FILES_TOKEN: secret };
  const named = await user.run(['sync', 'vibe', '--dry-run'], { env });
  expect(named.exitCode).toBe(exitCodes.failed);
  expect(named.stderr).toContain('VIBE_HOME must be an absolute path');
  expect(named.stderr).not.toContain('--scope');
  for (const words of [
    ['sync', '--dry-run'],
    ['sync', '--list'],
  ]) {
    const { exitCode, stdout } = await user.run(words, { env });
    expect([exitCode, stdout]).toEqual([exitCodes.ok, expect.stringContaining('cursor-user')]);
  }
});

test('--list shows what is known of a named host, also in 40 columns', async () => {
  await using user = await world({ 'home/.codex/config.toml': '' });
  const words = ['sync', 'vibe', 'codex', '--list'];
  const { stdout } = await user.run(words);
  expect(stdout).toMatch(
    /^codex-user, OpenAI Codex \(user\)\n {2}file: .*config\.toml\n {2}seen in Codex [\d.]+, [\d-]{10}: place, stdio, /,
  );
  expect(stdout).toContain('\n  from its documentation: cwd, off, timeout, tools\n\nmistral-vibe-user, ');
  expect(stdout).toContain('  file: none found\n  from its source: place, stdio, args, ');
  let shown = '';
  await user.run(words, { stdout: { isTTY: true, columns: 40, write: (text: string) => (shown += text) } });
  const rows = shown.split('\n');
  expect(rows.filter((row) => row.length > 40)).toEqual([]);
  expect(rows.filter((row) => row.startsWith('    '))).not.toEqual([]);
});

test('the id of a file of a project needs no scope', async () => {
  await using user = await userWorld({ 'project/mcp_servers.yaml': 'mcp_servers: { notes: { command: x } }\n' });
  for (const host of ['cursor-project', 'claude-code-local']) {
    expect(await user.run(['sync', host, '--yes'])).toMatchObject({ exitCode: exitCodes.ok });
    expect((await user.run(['import', host])).stdout).toContain('notes:');
  }
  expect(JSON.parse(await user.read('project/.cursor/mcp.json'))).toEqual({ mcpServers: { notes: { command: 'x' } } });
  expect(Object.keys(JSON.parse(await user.read('home/.claude.json')))).toEqual(['projects']);
});

test('warns that a host may offer tools that the config denies, not for the gateway', async () => {
  await using user = await userWorld({
    'project/mcp_servers.yaml': 'mcp_servers: { files: { command: x, denied_tools: [write] }, web: { command: y } }\n',
  });
  const { exitCode, stdout } = await user.run(['sync', 'mcporter', '--yes']);
  expect(exitCode).toBe(exitCodes.ok);
  expect(stdout).toContain(
    'warning field-not-supported files (mcporter-user): This host may offer every tool of the server, because denied_tools cannot be written',
  );
  expect(stdout).toContain('mcpx sync --gateway');
  expect(stdout).not.toContain('web (mcporter-user): ');
  const { issues } = JSON.parse((await user.run(['sync', 'mcporter', '--dry-run', '--json'])).stdout);
  expect(issues).toMatchObject([{ code: 'field-not-supported', severity: 'warning', server: 'files' }]);
  const gateway = JSON.parse((await user.run(['sync', 'mcporter', '--gateway', '--dry-run', '--json'])).stdout);
  expect(gateway.issues).toEqual([]);
});

test('--role --no-gateway writes the tools of the role in the lists of the app, and nothing wider stays', async () => {
  const roleOf = (...entries: readonly string[]) => tools.replace('["files.read"]', JSON.stringify(entries));
  const settings = 'home/.gemini/settings.json';
  await using user = await world({ [settings]: '{}', 'project/tools.yaml': roleOf('files.read', 'files.list', 'web') });
  const words = ['sync', 'gemini-cli', '--role', 'review', '--no-gateway', '--yes'];
  const entries = async () => JSON.parse(await user.read(settings)).mcpServers;

  const wide = await user.run(words, { env });
  expect(wide.exitCode).toBe(exitCodes.ok);
  expect(wide.stderr).toContain('do not restrict the resources and prompts');
  expect(await entries()).toMatchObject({ files: { includeTools: ['read', 'list'] }, web: { type: 'http' } });
  expect((await entries()).web).not.toHaveProperty('includeTools');

  await user.write('project/tools.yaml', roleOf('files.read'));
  expect((await user.run(words, { env })).exitCode).toBe(exitCodes.ok);
  expect(await entries()).toMatchObject({ files: { includeTools: ['read'] } });
  expect(await entries()).not.toHaveProperty('web');

  await user.write('project/tools.yaml', roleOf('files.re*'));
  const refused = await user.run(words, { env });
  expect(refused.exitCode).toBe(exitCodes.failed);
  expect(refused.stdout).toContain('This host has no field for patterns of tools (re*)');
  expect(await user.read(settings)).toBe('{}');
});

test.each([
  [[], '--no-gateway requires --role.'],
  [['--remove'], '--no-gateway requires --role.'],
  [['--role', 'review', '--name', 'tools'], '--no-gateway cannot be used with --name.'],
  [['--role', 'review', '--remove'], "option '--remove' cannot be used with option '--role <role>'"],
])('--no-gateway with %j is refused', async (words, problem) => {
  await using user = await world();
  const { exitCode, stderr } = await user.run(['sync', 'cursor', '--no-gateway', ...words, '--yes'], { env });
  expect(exitCode).toBe(exitCodes.usage);
  expect(stderr).toContain(problem);
  expect(await user.read('home/.cursor/mcp.json')).toBe(before);
});

test.each([
  [
    'is denied the tool in another reading',
    'review: { allowed_tools: ["files.read"], denied_tools: ["f*read"] }',
    '{}',
  ],
  ['is denied the whole server', 'review: { allowed_tools: [files, "files.read"], denied_tools: ["fi*"] }', '{}'],
  ['is denied unknown tools', 'review: { allowed_tools: [files], denied_tools: ["write_*"] }', '{}'],
  ['has ask_before', 'review: { allowed_tools: ["files.read"], ask_before: ["files.read"] }', '{}'],
  [
    'inherits',
    'review: { allowed_tools: ["files.read"], inherits: [base] }\n      base: { allowed_tools: [files] }',
    '{}',
  ],
  ['is gone', 'other: { allowed_tools: ["files.read"] }', '{}'],
  ['may use nothing', 'review: { allowed_tools: [] }', '{}'],
  ['is denied one tool', 'review: { allowed_tools: [files], denied_tools: [write] }', ['write']],
])('a role that %s keeps no wider entry of an earlier sync', async (_, role, left) => {
  const settings = 'home/.gemini/settings.json';
  const roleOf = (text: string) => tools.replace(/review: .*/, text);
  await using user = await world({
    [settings]: '{}',
    'project/tools.yaml': roleOf('review: { allowed_tools: [files] }'),
  });
  const words = ['sync', 'gemini-cli', '--role', 'review', '--no-gateway', '--yes'];
  expect((await user.run(words, { env })).exitCode).toBe(exitCodes.ok);
  expect(JSON.parse(await user.read(settings))).toMatchObject({ mcpServers: { files: { command: 'npx' } } });

  await user.write('project/tools.yaml', roleOf(role));
  const narrowed = await user.run(words, { env });
  if (left === '{}') expect(await user.read(settings), narrowed.stderr).toBe(left);
  else expect(JSON.parse(await user.read(settings)).mcpServers.files).toMatchObject({ excludeTools: left });
  const isRefused = /ask_before|inherits|other/.test(role);
  expect(narrowed.exitCode).toBe(isRefused ? exitCodes.failed : exitCodes.ok);
  if (isRefused) expect(narrowed.stderr).toContain('Entries of an earlier sync go.');
});

test('a server that cannot be written any more keeps no wider entry', async () => {
  const settings = 'project/.gemini/settings.json';
  await using user = await world({ [settings]: '{}', 'project/tools.yaml': tools.replace('files.read', 'files') });
  const words = ['sync', 'gemini-cli-project', '--role', 'review', '--no-gateway', '--yes'];
  expect((await user.run(words, { env })).exitCode).toBe(exitCodes.ok);
  expect(JSON.parse(await user.read(settings))).toMatchObject({ mcpServers: { files: { command: 'npx' } } });

  await user.write('project/tools.yaml', tools);
  await user.write('project/mcp_servers.yaml', servers.replace('"${FILES_TOKEN}"', `"${secret}"`));
  const narrowed = await user.run(words, { env });
  expect(narrowed.exitCode).toBe(exitCodes.failed);
  expect(narrowed.stdout).toContain('secret-in-project-file');
  expect(await user.read(settings)).toBe('{}');
});

test('a role that lists of tools cannot express is refused', async () => {
  const role = 'review: { allowed_tools: ["files.read"], ask_before: ["files.read"] }';
  await using user = await world({
    'home/.gemini/settings.json': '{}',
    'project/tools.yaml': tools.replace(/review: .*/, role),
  });
  const { exitCode, stderr } = await user.run(['sync', 'gemini-cli', '--role', 'review', '--no-gateway', '--yes'], {
    env,
  });
  expect(exitCode).toBe(exitCodes.usage);
  expect(stderr).toContain('has ask_before, which host apps cannot express');
  expect(await user.read('home/.gemini/settings.json')).toBe('{}');
});
