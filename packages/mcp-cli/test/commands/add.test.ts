// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import { chmod, lstat, mkdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { parseConfig } from '@x/mcp-config-schema';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { exitCodes } from '../../src/command.js';
import { faultsOf } from '../helpers/output-schema.js';
import { stubUserConfig } from '../helpers/user-config.js';
import { userWorld } from '../helpers/user-world.js';

afterEach(() => vi.unstubAllEnvs());

const yaml = `# ours
mcp_servers:
    web: &web   # the wiki
        url: 'https://example.com/mcp'
    copy: { <<: *web }

mcp_settings: { auto_start_default: true }
`;
const json = '\uFEFF{\r\n\t// mine\r\n\t"mcpServers": {\r\n\t\t"db": { "command": "uvx", },\r\n\t},\r\n}\r\n';

test('commands at the same time all change the file', async () => {
  await using user = await userWorld();
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const all = (words: (name: string) => readonly string[]) => Promise.all(names.map((name) => user.run(words(name))));
  const failed = (outcomes: Awaited<ReturnType<typeof all>>) => outcomes.filter(({ exitCode }) => exitCode !== 0);
  const present = async () => Object.keys(parse(await user.read('project/mcp_servers.yaml')).mcp_servers ?? {}).sort();
  expect(failed(await all((name) => ['add', name, '--', `${name}-mcp`]))).toEqual([]);
  expect(await present()).toEqual(names);
  expect(failed(await all((name) => ['disable', name]))).toEqual([]);
  expect((await user.read('project/mcp_servers.yaml')).match(/disabled: true/g)).toHaveLength(names.length);
  expect(failed(await all((name) => ['remove', name]))).toEqual([]);
  expect(await present()).toEqual([]);
  const changes = JSON.parse((await user.run(['config', 'undo', '--list', '--json'])).stdout);
  expect(changes.changes).toHaveLength(3 * names.length);
});

describe('mcpx add --from', () => {
  const secret = 'SENTINEL-5f1c9a7e2b';
  const apps = {
    'home/.cursor/mcp.json': JSON.stringify({
      mcpServers: {
        db: { command: 'uvx', args: ['db-mcp'], env: { DB_PASSWORD: secret, MODE: 'fast' } },
        off: { command: 'x', disabled: true },
      },
    }),
    'project/mcp_servers.yaml': yaml,
  };

  test('adds one server of an app, with variables for secrets, and it needs no further consent', async () => {
    await using user = await userWorld(apps);
    const { exitCode, stdout, stderr } = await user.run(['add', 'db', '--from', 'cursor']);
    expect(exitCode).toBe(exitCodes.ok);
    expect(stdout).toContain('✓ Added db to mcp_servers.yaml.\n');
    expect(stderr).toContain('the entry names DB_PASSWORD instead');
    const text = await user.read('project/mcp_servers.yaml');
    expect(text).toContain('# the wiki');
    expect(parse(text).mcp_servers.db).toEqual({
      command: 'uvx',
      args: ['db-mcp'],
      env: { DB_PASSWORD: '${DB_PASSWORD}', MODE: 'fast' },
    });
    expect(user.told() + text).not.toContain(secret);
    const { stdout: waiting } = await user.run(['trust', '--json']);
    expect(JSON.parse(waiting)).not.toMatchObject({ agreed: [{ server: 'db' }] });
  });

  test('says what the app has instead, and what cannot be given', async () => {
    await using user = await userWorld(apps);
    const unknown = await user.run(['add', 'dbb', '--from', 'cursor']);
    expect(unknown.exitCode).toBe(exitCodes.failed);
    expect(unknown.stderr).toContain('The server "dbb" of "cursor" cannot be added: it has none of this name.');
    expect(unknown.stderr).toContain('It has "db"');
    const both = await user.run(['add', 'db', 'https://example.com', '--from', 'cursor']);
    expect(both.exitCode).toBe(exitCodes.usage);
    expect(both.stderr).toContain('so a target cannot be given');
    const { stderr } = await user.run(['add', 'db', '--from', 'cursor', '--env', 'A=b']);
    expect(stderr).toContain('so --env cannot be given');
    expect((await user.run(['add', 'db', '--from', 'nonesuch'])).exitCode).toBe(exitCodes.usage);
    expect(await user.read('project/mcp_servers.yaml')).toBe(yaml);
  });
});

describe('mcpx add', () => {
  test('writes a config when there is none, and the first command needs no prompt', async () => {
    await using user = await userWorld();
    const { exitCode, stdout } = await user.run(['add', 'files', '--', 'npx', '-y', 'files-mcp', '/data']);
    expect(exitCode).toBe(exitCodes.ok);
    expect(stdout).toContain('✓ Wrote mcp_servers.yaml with files.\n');
    const { servers } = parseConfig({ text: await user.read('project/mcp_servers.yaml') });
    expect(servers).toMatchObject([
      { name: 'files', command: 'npx', args: ['-y', 'files-mcp', '/data'], autoStart: true },
    ]);
    const trusted = await user.run(['trust', '--json']);
    expect(JSON.parse(trusted.stdout)).toEqual({ agreed: [] });
  });

  test('says which servers of host apps the first config hides, and what to do', async () => {
    const apps = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, { command: `${name}-mcp` }]));
    await using user = await userWorld({ 'home/.cursor/mcp.json': JSON.stringify({ mcpServers: apps }) });
    const dry = await user.run(['add', 'new', '--dry-run', '--', 'new-mcp']);
    expect(dry.stderr).not.toContain('host apps');
    const first = await user.run(['add', 'new', '--', 'new-mcp']);
    expect(first.stderr).toContain('no longer uses the 4 servers of your host apps here');
    expect(first.stderr).toContain('a, b, c and 1 more');
    // What it advises works.
    await user.run(['config', 'undo']);
    await user.run(['init', '--from', 'all', '--yes']);
    const second = await user.run(['add', 'new', '--', 'new-mcp']);
    expect(second.stderr).not.toContain('host apps');
    const { servers } = parseConfig({ text: await user.read('project/mcp_servers.yaml') });
    expect(servers.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'new']);
    await user.run(['config', 'undo']);
    await rm(join(user.project, 'mcp_servers.yaml'));
    const { stdout } = await user.run(['add', 'new', '--json', '--', 'new-mcp']);
    expect(JSON.parse(stdout)).toMatchObject({ hidden: ['a', 'b', 'c', 'd'] });
    expect(faultsOf('add', JSON.parse(stdout))).toEqual([]);
  });

  test('changes no other byte of a YAML file', async () => {
    await using user = await userWorld({ 'project/mcp_servers.yaml': yaml.replace(/\n {4}copy.*/, '') });
    const before = await user.read('project/mcp_servers.yaml');
    const { exitCode } = await user.run([
      'add',
      'time',
      '--env',
      'TZ=UTC',
      '--cwd',
      'sub',
      '--',
      'uvx mcp-server-time "a b"',
    ]);
    expect(exitCode).toBe(exitCodes.ok);
    const after = await user.read('project/mcp_servers.yaml');
    const added = `    time:
        command: uvx
        args:
            - mcp-server-time
            - a b
        env:
            TZ: UTC
        cwd: sub
`;
    expect(after).toContain(added);
    expect(after.replace(added, '')).toBe(before);
    await user.run(['remove', 'time']);
    expect(await user.read('project/mcp_servers.yaml')).toBe(before);
  });

  test('changes no other byte of a JSON file with comments, tabs, CRLF and a mark, and keeps its mode and link', async () => {
    await using user = await userWorld({ 'home/real.json': json });
    await chmod(join(user.home, 'real.json'), 0o640);
    await symlink(join(user.home, 'real.json'), join(user.project, '.mcp.json'));
    const { exitCode } = await user.run(['add', 'docs', 'https://example.com/mcp', '-H', 'X-Team: a', '-t', 'sse']);
    expect(exitCode).toBe(exitCodes.ok);
    const after = await user.read('home/real.json');
    const added = [
      ',',
      '\t\t"docs": {',
      '\t\t\t"type": "sse",',
      '\t\t\t"url": "https://example.com/mcp",',
      '\t\t\t"headers": {',
    ];
    for (const line of added) expect(after).toContain(line);
    expect(after.startsWith('\uFEFF{\r\n\t// mine\r\n')).toBe(true);
    expect(after.replaceAll('\r\n', '')).not.toContain('\n');
    expect((await stat(join(user.home, 'real.json'))).mode & 0o777).toBe(0o640);
    expect((await lstat(join(user.project, '.mcp.json'))).isSymbolicLink()).toBe(true);
    await user.run(['remove', 'docs']);
    expect(await user.read('home/real.json')).toBe(json);
  });

  test('writes no secret, and names the variables to set', async () => {
    await using user = await userWorld();
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
    const words = ['add', 'gh', '--env', `GITHUB_TOKEN=${secret}`, '--env', 'REGION', '--json', '--', 'gh-mcp'];
    const { stdout, stderr } = await user.run(words);
    expect(JSON.parse(stdout)).toMatchObject({
      server: 'gh',
      outcome: 'created',
      secrets: [{ server: 'gh', variable: 'GITHUB_TOKEN', place: 'env.GITHUB_TOKEN' }],
      variables: ['GITHUB_TOKEN', 'REGION'],
    });
    const text = await user.read('project/mcp_servers.yaml');
    expect(text).toContain('GITHUB_TOKEN: ${GITHUB_TOKEN}');
    expect(text + stdout + stderr).not.toContain(secret);
    const shown = await user.run([
      'add',
      'web',
      'https://example.com/mcp',
      '--header',
      `Authorization: Bearer ${secret}`,
    ]);
    expect(shown.stderr).toContain(
      'Secrets were not written: the entry names WEB_TOKEN instead.\nSet WEB_TOKEN before',
    );
    expect(await user.read('project/mcp_servers.yaml')).toContain('Authorization: "Bearer ${WEB_TOKEN}"');
  });

  test('gives consent to the typed entry alone', async () => {
    await using user = await userWorld({ 'project/mcp_servers.yaml': 'mcp_servers:\n  theirs: { command: evil }\n' });
    await user.run(['add', 'mine', '--', 'mine-mcp']);
    const { stdout } = await user.run(['trust', '--yes', '--json']);
    expect(JSON.parse(stdout).agreed).toMatchObject([{ server: 'theirs' }]);
  });

  test('--global writes the config of the user', async () => {
    await using user = await userWorld({ 'project/mcp_servers.yaml': 'mcp_servers: {}\n' });
    const config = stubUserConfig(user.home);
    const { exitCode, stdout } = await user.run(['add', 'time', '--global', '--', 'uvx', 'mcp-server-time']);
    const file = join(config, 'mcp_servers.yaml');
    expect({ exitCode, stdout }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`Wrote ${file} with time`),
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await user.read('project/mcp_servers.yaml')).toBe('mcp_servers: {}\n');
    // From a project without a config the same file is found.
    await mkdir(join(user.home, 'other'));
    await user.run(['add', 'memory', '--', 'memory-mcp'], { cwd: join(user.home, 'other') });
    expect(parseConfig({ text: await readFile(file, 'utf8') }).servers.map(({ name }) => name)).toEqual([
      'time',
      'memory',
    ]);
  });

  test('--dry-run shows the difference and writes nothing', async () => {
    await using user = await userWorld({ 'project/mcp_servers.yaml': 'mcp_servers:\n  a: { command: a-mcp }\n' });
    const { stdout, stderr } = await user.run(['add', 'b', '--dry-run', '--', 'b-mcp']);
    expect(stdout).toContain('--- mcp_servers.yaml\n+++ mcp_servers.yaml\n@@ -1,2 +1,5 @@\n');
    expect(stdout).toContain('+  b:\n+    command: b-mcp\n+    auto_start: true\n');
    expect(stderr).toBe('Nothing was written.\n');
    expect(await user.read('project/mcp_servers.yaml')).toBe('mcp_servers:\n  a: { command: a-mcp }\n');
  });

  test('a server of the same name is replaced only with --force, which keeps comments', async () => {
    await using user = await userWorld({
      'project/mcp_servers.yaml': 'mcp_servers:\n  a: # why\n    command: a-mcp # old\n    tags: [x]\n',
    });
    const taken = await user.run(['add', 'a', '--', 'b-mcp', 'c']);
    expect(taken).toMatchObject({ exitCode: exitCodes.failed, stdout: '' });
    expect(taken.stderr).toContain('mcp_servers.yaml has a server "a" already. Nothing was written.\nAdd --force');
    expect(await user.run(['add', 'a', '--force', '--', 'b-mcp', 'c'])).toMatchObject({ exitCode: exitCodes.ok });
    const text = await user.read('project/mcp_servers.yaml');
    expect(text).toMatch(/^mcp_servers:\n {2}a: # why\n {4}command: b-mcp # old\n/);
    expect(text).not.toContain('tags');
  });

  test.each([
    [
      'a name that no config can have',
      ['add', ' x', '--', 'a'],
      exitCodes.config,
      /mcp_servers\.yaml:\d+:\d+ error invalid-value/,
    ],
    ['nothing to add', ['add', 'x'], exitCodes.usage, /Give its command or its URL/],
    ['a URL with arguments', ['add', 'x', 'https://a.example/', 'b'], exitCodes.usage, /has no arguments/],
    ['a variable of a URL', ['add', 'x', 'https://a.example/', '--env', 'A=b'], exitCodes.usage, /no --env/],
    ['a header of a command', ['add', 'x', '--header', 'A: b', '--', 'c'], exitCodes.usage, /has no headers/],
    ['a header without a value', ['add', 'x', '--header', 'A', 'https://a.example/'], exitCodes.usage, /"Name: value"/],
    ['another kind of URL', ['add', 'x', 'ftp://a.example/'], exitCodes.usage, /is not an http/],
    ['a transport that needs a URL', ['add', 'x', '-t', 'sse', '--', 'c'], exitCodes.usage, /needs a URL/],
    ['options of the command without --', ['add', 'x', 'npx', '-y', 'c'], exitCodes.usage, /unknown option '-y'/],
  ])('refuses %s', async (_case, argv, exitCode, message) => {
    await using user = await userWorld();
    const outcome = await user.run(argv);
    expect(outcome.exitCode).toBe(exitCode);
    expect(outcome.stderr).toMatch(message);
    await expect(user.read('project/mcp_servers.yaml')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('a file that is broken is reported with its position and left as it is', async () => {
    const broken = 'mcp_servers:\n  a: { command: x\n';
    await using user = await userWorld({ 'project/mcp_servers.yaml': broken });
    const { exitCode, stderr } = await user.run(['add', 'b', '--', 'b-mcp']);
    expect(exitCode).toBe(exitCodes.config);
    expect(stderr).toMatch(/mcp_servers\.yaml:\d+:\d+ .*Nothing was written/);
    expect(await user.read('project/mcp_servers.yaml')).toBe(broken);
  });

  test('an error of another server is no obstacle', async () => {
    await using user = await userWorld({ 'project/mcp_servers.yaml': 'mcp_servers:\n  a: { comand: x }\n' });
    expect(await user.run(['add', 'b', '--', 'b-mcp'])).toMatchObject({ exitCode: exitCodes.ok });
    expect(await user.run(['remove', 'a'])).toMatchObject({ exitCode: exitCodes.ok });
    expect(await user.run(['validate'])).toMatchObject({ exitCode: exitCodes.ok });
  });
});

describe('mcpx remove, enable and disable', () => {
  test('a server that another one refers to by an anchor stays', async () => {
    await using user = await userWorld({ 'project/mcp_servers.yaml': yaml });
    const { exitCode, stderr } = await user.run(['remove', 'web']);
    expect(exitCode).toBe(exitCodes.config);
    expect(stderr).toContain('Nothing was written');
    expect(await user.read('project/mcp_servers.yaml')).toBe(yaml);
  });

  test('disable and enable restore every byte', async () => {
    const text = 'mcp_servers:\n  a: # mine\n    command: a-mcp\n';
    await using user = await userWorld({ 'project/mcp_servers.yaml': text });
    expect((await user.run(['disable', 'a'])).stdout).toContain('✓ Disabled a in mcp_servers.yaml.\n');
    expect(parseConfig({ text: await user.read('project/mcp_servers.yaml') }).servers[0]?.disabled).toBe(true);
    expect((await user.run(['disable', 'a'])).stderr).toBe('Nothing to change.\n');
    await user.run(['enable', 'a']);
    expect(await user.read('project/mcp_servers.yaml')).toBe(text);
  });

  test('an unknown name is answered with the nearest one', async () => {
    await using user = await userWorld({ 'project/mcp_servers.yaml': 'mcp_servers: { files: { command: a } }\n' });
    const { exitCode, stderr } = await user.run(['remove', 'flies']);
    expect(exitCode).toBe(exitCodes.notFound);
    expect(stderr).toContain('No server is named "flies" in mcp_servers.yaml. Did you mean "files"?');
  });
});

describe('mcpx config undo', () => {
  test('takes back change after change, and each undo can be taken back', async () => {
    await using user = await userWorld();
    await user.run(['add', 'a', '--', 'a-mcp']);
    const first = await user.read('project/mcp_servers.yaml');
    await user.run(['remove', 'a']);
    const undone = await user.run(['config', 'undo']);
    expect(undone.stdout).toMatch(
      /\+ {2}a:\n[\s\S]*✓ Took back "remove a" of .* UTC\. "mcpx config undo 3" does it again\.\n/,
    );
    expect(await user.read('project/mcp_servers.yaml')).toBe(first);
    await user.run(['config', 'undo']);
    await expect(user.read('project/mcp_servers.yaml')).rejects.toMatchObject({ code: 'ENOENT' });
    await user.run(['config', 'undo', '4']);
    expect(await user.read('project/mcp_servers.yaml')).toBe(first);
    const { stdout } = await user.run(['config', 'undo', '--list', '--json']);
    expect(JSON.parse(stdout).changes).toMatchObject([
      { id: 5, command: 'config undo 4' },
      { id: 4, command: 'config undo 1' },
      { id: 3, command: 'config undo 2' },
      { id: 2, command: 'remove a', undone: true },
      { id: 1, command: 'add a', undone: false },
    ]);
    const stored = join(user.state, 'changes');
    expect((await stat(stored)).mode & 0o777).toBe(0o700);
    expect((await stat(join(stored, '000001.json'))).mode & 0o777).toBe(0o600);
  });

  test('a file that was edited since is shown and left, unless forced', async () => {
    await using user = await userWorld({ 'project/mcp_servers.yaml': 'mcp_servers: {}\n' });
    await user.run(['add', 'a', '--', 'a-mcp']);
    const edited = `${await user.read('project/mcp_servers.yaml')}# by hand\n`;
    await user.write('project/mcp_servers.yaml', edited);
    const refused = await user.run(['config', 'undo']);
    expect(refused.exitCode).toBe(exitCodes.failed);
    expect(refused.stderr).toMatch(/has been changed since "add a"[\s\S]*\+# by hand[\s\S]*mcpx config undo 1 --force/);
    expect(await user.read('project/mcp_servers.yaml')).toBe(edited);
    expect(await user.run(['config', 'undo', '--force'])).toMatchObject({ exitCode: exitCodes.ok });
    expect(await user.read('project/mcp_servers.yaml')).toBe('mcp_servers: {}\n');
  });

  test('takes back a sync together with its record', async () => {
    const before = '{ "mcpServers": { "db": { "command": "uvx" } } }\n';
    await using user = await userWorld({
      'home/.cursor/mcp.json': before,
      'project/mcp_servers.yaml': 'mcp_servers: { files: { command: files-mcp } }\n',
    });
    await user.run(['sync', 'cursor', '--yes']);
    const written = await user.read('home/.cursor/mcp.json');
    expect(await user.run(['config', 'undo'])).toMatchObject({ exitCode: exitCodes.ok, stderr: '' });
    expect(await user.read('home/.cursor/mcp.json')).toBe(before);
    // Without the record restored, a removed entry would be a conflict.
    expect(await user.run(['sync', 'cursor', '--yes'])).toMatchObject({ exitCode: exitCodes.ok });
    expect(await user.read('home/.cursor/mcp.json')).toBe(written);
  });

  test('of another directory it names the change instead', async () => {
    await using user = await userWorld();
    await user.run(['add', 'a', '--', 'a-mcp']);
    const { exitCode, stderr } = await user.run(['config', 'undo'], { cwd: user.home });
    expect(exitCode).toBe(exitCodes.notFound);
    expect(stderr).toContain('The latest one elsewhere is 1, "add a" in ');
  });
});
