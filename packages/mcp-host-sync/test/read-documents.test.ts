import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type HostServer, planSync, readHostDocuments, readOwnership, syncHosts } from '../src/index.js';
import { temporaryMachine, textOf } from './helpers/temporary-machine.js';

const server: HostServer = { name: 'ours', transport: 'stdio', command: 'uvx' };

describe('a host that is writing its file', () => {
  test.each([
    ['has emptied it', ''],
    ['has come halfway', '{ "mcpServers": { "a": { "comm'],
  ])('%s is read again until complete', async (_, unfinished) => {
    const machine = await temporaryMachine();
    const file = await machine.file('home/.cursor/mcp.json', unfinished);
    const text = '{ "mcpServers": { "a": { "command": "x" } } }';
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
      if (pauses === 3) await writeFile(file, text);
    };
    const [document] = await readHostDocuments(['cursor-user'], { ...machine.options, pause });
    expect(document?.text).toBe(text);
    expect(pauses).toBe(3);
  });

  test('an incomplete file counts after a while', async () => {
    const machine = await temporaryMachine();
    await machine.file('home/.cursor/mcp.json', '{ "mcp');
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
    };
    const theirs = await readHostDocuments(['cursor-user'], { ...machine.options, pause });
    expect(pauses).toBe(5);
    expect(planSync({ ours: [server], theirs }).issues).toMatchObject([{ code: 'file-not-edited', severity: 'error' }]);
  });

  test('a file that is not UTF-8 is rejected', async () => {
    const machine = await temporaryMachine();
    const file = await machine.file('home/.cursor/mcp.json', '');
    await writeFile(file, Buffer.from('\uFEFF{}', 'utf16le'));
    const [document] = await readHostDocuments(['cursor-user'], machine);
    expect(document?.fault?.code).toBe('not-text');
  });

  test('one size limit applies to all readers', () => {
    const document = { host: 'cursor-user', file: '/home/ann/x', inside: '/home/ann', platform: 'linux' } as const;
    const text = `{"x":"${'y'.repeat(5_000_000)}"}`;
    const { issues } = planSync({ ours: [server], theirs: [{ ...document, text }] });
    expect(issues).toMatchObject([{ code: 'file-not-edited', reason: 'too-large' }]);
  });

  test('a file that is too large is rejected', async () => {
    const machine = await temporaryMachine();
    await machine.file('home/.cursor/mcp.json', ' '.repeat(50 * 1024 * 1024));
    const [document] = await readHostDocuments(['cursor-user'], machine);
    expect(document?.fault?.code).toBe('too-large');
    expect(document?.fault?.message).toContain('the limit is 5000000');
  });
});

describe('several files of a host', () => {
  test('the file with servers is edited, and the others are reported', async () => {
    const machine = await temporaryMachine();
    const folder = `app/${'long-'.repeat(16)}name`;
    const empty = await machine.file(`${folder}/kilo.jsonc`, '{ /* nothing */ }');
    const used = await machine.file(
      `${folder}/.kilo/kilo.json`,
      '{ "mcp": { "a": { "type": "local", "command": ["x"] } } }',
    );
    const place = { ...machine.place, project: dirname(empty) };
    const { plan } = await syncHosts([server], { ...machine.options, place, hosts: ['kilo-project'] });
    expect(plan.steps).toMatchObject([{ type: 'add', file: used }]);
    expect(plan.issues).toMatchObject([{ code: 'several-files', severity: 'warning', file: used }]);
    expect(plan.issues[0]?.message).toContain(empty);
    expect(await textOf(empty)).toBe('{ /* nothing */ }');
  });

  test('a file at the old path is edited while it is the only one', async () => {
    const machine = await temporaryMachine();
    const before = '{"mcpServers":{}}';
    const old = await machine.file('home/.gemini/antigravity/mcp_config.json', before);
    const options = { ...machine.options, hosts: ['antigravity-user'] };
    await syncHosts([server], options);
    expect(await textOf(old)).toContain('ours');

    const current = await machine.file('home/.gemini/config/mcp_config.json', '{"mcpServers":{"a":{"command":"x"}}}');
    const { plan } = await syncHosts([server], options);
    expect(plan.steps).toMatchObject([
      { type: 'add', file: current },
      { type: 'remove', file: old },
    ]);
    expect(await textOf(old)).toBe(before);
    expect((await readOwnership(machine)).files.map(({ path }) => path)).toEqual([current]);
  });
});

test('a host without a file here is an error with the reason', async () => {
  const { place } = await temporaryMachine();
  const { project: _project, ...userPlace } = place;
  await expect(readHostDocuments(['cursor-project'], { place: userPlace })).rejects.toThrow(
    'cursor-project has no file without a project (place.project)',
  );
  await expect(
    readHostDocuments(['xcode-codex'], { place: { platform: 'linux', env: {}, home: '/home/ann' } }),
  ).rejects.toThrow('xcode-codex has no file on linux');
});

test('short names select the project scope if there is a project', async () => {
  const { place, project, home } = await temporaryMachine();
  const files = async (hosts: readonly string[]) => (await readHostDocuments(hosts, { place })).map(({ file }) => file);
  expect(await files(['claude', 'roo', 'jetbrains', 'zed'])).toEqual([
    join(project, '.mcp.json'),
    join(project, '.roo/mcp.json'),
    join(project, '.junie/mcp/mcp.json'),
    join(project, '.zed/settings.json'),
  ]);
  const { project: _project, ...userPlace } = place;
  const [claude] = await readHostDocuments(['claude'], { place: userPlace });
  expect(claude?.file).toBe(join(home, '.claude.json'));
});

test('a server of one project in a user file stays in its project', async () => {
  const machine = await temporaryMachine();
  const file = await machine.file('home/.claude.json', '{"projects":{"/other":{"mcpServers":{}}}}');
  await syncHosts([server], { ...machine.options, hosts: ['claude-code-local'] });
  const { projects } = JSON.parse(await textOf(file));
  expect(projects['/other']).toEqual({ mcpServers: {} });
  expect(Object.keys(projects[machine.project.replaceAll(sep, '/')].mcpServers)).toEqual(['ours']);
});

test.each([
  ['a variable', 'claude-code-user', { CLAUDE_CONFIG_DIR: 'usb/claude' }, 'usb/claude'],
  ['a variable with the file itself', 'cline-user', { CLINE_MCP_SETTINGS_PATH: 'usb/cline/mcp.json' }, 'usb/cline'],
  ['a project', 'cursor-project', {}, 'app'],
  ['a home', 'cursor-user', {}, 'home'],
])('a missing directory of %s is not made', async (_, host, variables, directory) => {
  const { root, home, project, options, tree } = await temporaryMachine();
  await Promise.all([home, project].map((each) => rm(each, { recursive: true })));
  const env = Object.fromEntries(Object.entries(variables).map(([name, path]) => [name, join(root, path)]));
  const sync = () => {
    const place = { ...options.place, env };
    return syncHosts([{ name: 's', transport: 'stdio', command: 'x' }], { ...options, place, hosts: [host] });
  };
  await expect(sync()).rejects.toMatchObject({
    code: 'invalid-location',
    missing: 'folder',
    message: expect.stringContaining(`below ${join(root, directory)}, which does not exist`),
  });
  expect(await tree()).toEqual([]);
  await mkdir(join(root, directory), { recursive: true });
  expect((await sync()).result?.files).toMatchObject([{ outcome: 'created' }]);
});
