import { describe, expect, test } from 'vitest';
import { type HostServer, type HostStdioServer, readHost, syncHosts } from '../../src/index.js';
import { moment, sync } from '../helpers/in-memory-sync.js';
import { codesOf, read, written } from '../helpers/round-trip.js';
import { temporaryMachine, textOf } from '../helpers/temporary-machine.js';

// Each test is something that the host's program was seen to do, or that its source says.

const stdio: HostStdioServer = { name: 's', transport: 'stdio', command: 'x', args: [], env: {}, enabled: true };
const remote = { name: 's', transport: 'http', url: 'https://example.com/', headers: {}, enabled: true } as const;

/** The text of a new file with one server. */
function fileOf(host: string, server: HostServer): unknown {
  return JSON.parse(sync(moment(host), [server]).after.text ?? 'null');
}

describe('Claude Code replaces variables in its own file', () => {
  test.each(['claude-code-user', 'claude-code-local', 'claude-code-project'])('%s', (host) => {
    const server: HostServer = {
      ...stdio,
      command: `\${NODE}`,
      args: [`in-\${A}`, `\${B:-d}`, 'bare $HOME'],
      env: { C: `\${C}` },
    };
    const { entry, issues } = written(host, server);
    expect({ entry, issues }).toEqual({
      entry: {
        type: 'stdio',
        command: `\${NODE}`,
        args: [`in-\${A}`, `\${B:-d}`, 'bare $HOME'],
        env: { C: `\${C}` },
      },
      issues: [],
    });
    expect(read(host, 's', entry)).toEqual({ server, issues: [] });
    const web = { ...remote, url: `https://example.com/\${A}`, headers: { 'X-A': `a-\${A}` } };
    expect(written(host, web).entry).toEqual({ type: 'http', url: web.url, headers: web.headers });
  });
});

describe('fields in which a host replaces no variables', () => {
  test.each<[string, HostServer]>([
    ['factory-user', { ...stdio, command: `\${A}` }],
    ['factory-user', { ...stdio, args: [`\${A}`] }],
    ['factory-user', { ...remote, url: `https://example.com/\${A}` }],
    ['augment-cli-user', { ...remote, headers: { 'X-A': `\${A}` } }],
  ])('%s gets no variable there: %j', (host, server) => {
    const { entry, issues } = written(host, server);
    expect(entry).toBeUndefined();
    expect(codesOf(issues)).toEqual(['variables-not-supported']);
  });

  test('are read as literal text', () => {
    const entry = { type: 'stdio', command: 'x', args: [`\${A}`], env: { B: `\${B:-d}` } };
    expect(read('factory-user', 's', entry).server).toMatchObject({ args: [`$\${A}`], env: { B: `\${B:-d}` } });
    const web = { type: 'http', url: `https://example.com/\${A}`, headers: { 'X-A': `\${A}` } };
    expect(read('augment-cli-user', 's', web).server).toMatchObject({
      url: `https://example.com/\${A}`,
      headers: { 'X-A': `$\${A}` },
    });
  });

  test.each<[string, HostServer]>([
    ['factory-user', { ...stdio, env: { A: `\${A:-d}` } }],
    ['factory-user', { ...remote, headers: { 'X-A': `a-\${A}` } }],
    ['augment-cli-user', { ...stdio, env: { A: `\${A:-d}` }, cwd: `\${DIR}` }],
    ['augment-cli-user', { ...remote, url: `https://example.com/\${A}` }],
  ])('%s gets a variable elsewhere: %j', (host, server) => {
    const { entry, issues } = written(host, server);
    expect(issues).toEqual([]);
    expect(read(host, 's', entry)).toEqual({ server, issues: [] });
  });
});

test.each(['a.b', 'a b', 'ü', '-a', 'a-', 'a--b', 'x'.repeat(33)])(
  'Factory droid would change the name %j, and starts one of two that become equal',
  (name) => {
    expect(written('factory-user', { ...stdio, name }).issues).toMatchObject([{ code: 'name-not-supported' }]);
  },
);

test.each(['a-b', '_a_', 'A1', 'x'.repeat(32)])('Factory droid keeps the name %j', (name) => {
  expect(written('factory-user', { ...stdio, name }).issues).toEqual([]);
});

test('Factory droid reads its time limit from "timeout", in milliseconds', () => {
  const { entry } = written('factory-user', { ...stdio, timeoutMs: 1_500 });
  expect(entry).toEqual({ type: 'stdio', command: 'x', disabled: false, timeout: 1_500 });
  expect(read('factory-user', 's', entry).server).toMatchObject({ timeoutMs: 1_500 });
  const older = { type: 'stdio', command: 'x', timeoutMs: 5 };
  expect(read('factory-user', 's', older).server).not.toHaveProperty('timeoutMs');
});

describe('MCPorter replaces variables in a value of the environment only if it begins with one', () => {
  test.each([`\${A}`, `\${A}-suffix`, `\${A:-d}`])('%s is written', (value) => {
    const server = { ...stdio, env: { X: value } };
    const { entry, issues } = written('mcporter-user', server);
    expect(issues).toEqual([]);
    expect(read('mcporter-user', 's', entry)).toEqual({ server, issues: [] });
  });

  test('others are an issue, and are read as literal text', () => {
    const { entry, issues } = written('mcporter-user', { ...stdio, env: { X: `in-\${A}` } });
    expect(entry).toBeUndefined();
    expect(codesOf(issues)).toEqual(['variables-not-supported']);
    const server = read('mcporter-user', 's', { command: 'x', env: { X: `in-\${A}` } }).server;
    expect(server).toMatchObject({ env: { X: `in-$\${A}` } });
    expect(written('mcporter-user', { ...stdio, env: { X: `in-$\${A}` } }).entry).toMatchObject({
      env: { X: `in-\${A}` },
    });
  });

  test('arguments may have one anywhere', () => {
    expect(written('mcporter-user', { ...stdio, args: [`in-\${A}`] }).issues).toEqual([]);
  });
});

describe('mcp-hub takes an argument that begins with "$" for the name of a variable', () => {
  test.each(['$HOME', '$(id)', '$'])('so a server with %s is an issue', (argument) => {
    expect(codesOf(written('mcp-hub', { ...stdio, args: [argument] }).issues)).toEqual(['looks-like-variable']);
  });

  test('and a name is read as a variable', () => {
    expect(read('mcp-hub', 's', { command: 'x', args: ['$HOME', 'cost $5'] }).server).toMatchObject({
      args: [`\${HOME}`, 'cost $5'],
    });
    expect(codesOf(read('mcp-hub', 's', { command: 'x', args: ['$(id)'] }).issues)).toEqual(['host-variable']);
  });
});

describe('Kilo skips the file of a project that has a variable', () => {
  const server = { ...stdio, env: { A: `\${A}` } };

  test('so it gets no server with one', () => {
    expect(codesOf(written('kilo-project', server).issues)).toEqual(['variables-not-supported']);
    expect(codesOf(written('kilo-project', { ...stdio, args: ['{env:A}'] }).issues)).toEqual(['looks-like-variable']);
  });

  test('and the file of the user gets it', () => {
    expect(written('kilo-user', server).entry).toMatchObject({ environment: { A: '{env:A}' } });
  });
});

test('Auggie limits calls by "timeoutMs"', () => {
  const { entry, issues } = written('augment-cli-user', { ...stdio, timeoutMs: 1_500 });
  expect({ entry, issues }).toEqual({ entry: { type: 'stdio', command: 'x', timeoutMs: 1_500 }, issues: [] });
  expect(read('augment-cli-user', 's', entry)).toMatchObject({ server: { timeoutMs: 1_500 }, issues: [] });
});

test('GitHub Copilot CLI has a time limit in milliseconds', () => {
  const { entry, issues } = written('copilot-cli-user', { ...stdio, timeoutMs: 7_000 });
  expect({ entry, issues }).toEqual({
    entry: { type: 'stdio', command: 'x', timeout: 7_000, tools: ['*'] },
    issues: [],
  });
  expect(read('copilot-cli-user', 's', entry).server).toMatchObject({ timeoutMs: 7_000 });
});

describe('mcp-hub takes an empty variable from its own environment', () => {
  test('so a server with one is an issue', () => {
    const { entry, issues } = written('mcp-hub', { ...stdio, env: { EMPTY: '', A: '1' } });
    expect(entry).toBeUndefined();
    expect(issues).toMatchObject([
      { code: 'field-not-supported', severity: 'error', message: expect.stringContaining('EMPTY') },
    ]);
  });

  test.each(['', null])('and %j is read as a variable', (value) => {
    const { server, issues } = read('mcp-hub', 's', { command: 'x', env: { A: value, B: 'b' } });
    expect(issues).toEqual([]);
    expect(server).toMatchObject({ env: { A: `\${A}`, B: 'b' } });
  });
});

describe('MCPorter', () => {
  test('starts a server in its directory', () => {
    const server = { ...stdio, cwd: '/srv/data dir' };
    const { entry, issues } = written('mcporter-user', server);
    expect({ entry, issues }).toEqual({ entry: { command: 'x', cwd: '/srv/data dir' }, issues: [] });
    expect(read('mcporter-user', 's', entry)).toEqual({ server, issues: [] });
  });

  test('drops an empty variable, with a warning', () => {
    const { entry, issues } = written('mcporter-user', { ...stdio, env: { EMPTY: '' } });
    expect(entry).toEqual({ command: 'x', env: { EMPTY: '' } });
    expect(issues).toMatchObject([{ code: 'field-not-supported', severity: 'warning' }]);
  });

  test.each(['bearerTokenEnv', 'bearer_token_env'])('sends the variable of %s as the whole header', (field) => {
    const { server, issues } = read('mcporter-user', 's', { baseUrl: 'https://example.com/', [field]: 'TOKEN' });
    expect(issues).toEqual([]);
    expect(server).toMatchObject({ headers: { Authorization: `\${TOKEN}` } });
  });
});

describe('OpenCode has an object for time limits in its second layout', () => {
  const second = '{"mcp":{"servers":{"a":{"type":"local","command":["y"]}}}}';
  const server = { ...stdio, timeoutMs: 12_345 };

  test('which is written there, and a number in the first layout', () => {
    const text = sync(moment('opencode-user', second), [server]).after.text ?? '';
    expect(JSON.parse(text).mcp.servers.s).toEqual({
      type: 'local',
      command: ['x'],
      timeout: { request: 12_345 },
    });
    expect(fileOf('opencode-user', server)).toMatchObject({ mcp: { s: { timeout: 12_345 } } });
  });

  test('changes in place and goes with the last server', () => {
    const added = sync(moment('opencode-user', second), [server]);
    const changed = sync(added.after, [{ ...server, timeoutMs: 5 }]);
    expect(JSON.parse(changed.after.text ?? '').mcp.servers.s.timeout).toEqual({ request: 5 });
    expect(sync(changed.after, []).after.text).toBe(second);
  });
});

describe('Goose', () => {
  test('replaces the variables that an entry names, in address and headers', () => {
    const server = {
      ...remote,
      url: `https://example.com/?k=\${KEY}`,
      headers: { Authorization: `Bearer \${TOKEN}`, 'X-Key': `\${KEY}` },
    };
    const { entry, issues } = written('goose-user', server);
    expect(entry).toEqual({
      name: 's',
      type: 'streamable_http',
      uri: `https://example.com/?k=\${KEY}`,
      headers: { Authorization: `Bearer \${TOKEN}`, 'X-Key': `\${KEY}` },
      env_keys: ['KEY', 'TOKEN'],
      enabled: true,
    });
    expect(issues).toMatchObject([{ code: 'keyring-variable', severity: 'warning' }]);
    expect(read('goose-user', 's', entry)).toEqual({ server, issues: [] });
  });

  test('replaces no other text, and sets values of its own', () => {
    const entry = {
      type: 'streamable_http',
      uri: 'https://example.com/',
      headers: { A: `$ONE \${TWO} $THREE` },
      envs: { TWO: 'two' },
      env_keys: ['ONE'],
    };
    const { server, issues } = read('goose-user', 's', entry);
    expect(issues).toEqual([]);
    expect(server).toMatchObject({ headers: { A: `\${ONE} two $THREE` } });
  });

  test('starts a server in its directory', () => {
    const server = { ...stdio, cwd: '/srv/data dir' };
    const { entry, issues } = written('goose-user', server);
    expect(issues).toEqual([]);
    expect(entry).toMatchObject({ cwd: '/srv/data dir' });
    expect(read('goose-user', 's', entry)).toEqual({ server, issues: [] });
  });

  test('sets no variable that changes how programs start', () => {
    const { entry, issues } = written('goose-user', { ...stdio, env: { Path: '/x', NODE_OPTIONS: '-r x', A: '1' } });
    expect(entry).toBeUndefined();
    expect(issues).toMatchObject([{ severity: 'error', message: expect.stringContaining('Path, NODE_OPTIONS for') }]);
  });
});

describe('a server of a config that speaks SSE', () => {
  const server: HostServer = { ...remote, type: 'sse' };
  const url = 'https://example.com/';

  test.each([
    ['gemini-cli-user', { url, type: 'sse' }],
    ['qwen-code-user', { url }],
    ['factory-user', { type: 'sse', url, disabled: false }],
    ['claude-code-project', { type: 'sse', url }],
    ['augment-cli-user', { type: 'sse', url }],
  ])('is written for %s as one, and read back', (host, expected) => {
    const { entry, issues } = written(host, server);
    expect({ entry, issues }).toEqual({ entry: expected, issues: [] });
    expect(read(host, 's', entry).server).toMatchObject({ transport: 'sse', url });
  });

  test.each(['codex-user', 'goose-user', 'zed-user', 'amazonq-cli-user'])('is an issue for %s', (host) => {
    const { entry, issues } = written(host, server);
    expect(entry).toBeUndefined();
    expect(issues).toMatchObject([{ code: 'remote-not-supported', message: expect.stringContaining('SSE servers') }]);
  });
});

describe('a host without a field for the working directory', () => {
  const server = { ...stdio, cwd: '/srv/app' };

  test('does not get a server with one', () => {
    for (const host of ['claude-code-user', 'factory-user', 'amp-user', 'kilo-user']) {
      const { plan } = sync(moment(host), [server]);
      expect(plan.files).toEqual([]);
      expect(plan.issues).toMatchObject([{ code: 'field-not-supported', severity: 'error' }]);
    }
  });

  test('gets one that starts in the project, in the file of the project', () => {
    const { plan, after } = sync(moment('claude-code-project'), [server]);
    expect(codesOf(plan.issues)).toEqual(['conditional-file']);
    expect(JSON.parse(after.text ?? '')).toEqual({ mcpServers: { s: { type: 'stdio', command: 'x' } } });
    expect(sync(moment('claude-code-project'), [{ ...server, cwd: '/srv' }]).plan.files).toEqual([]);
  });
});

test('mcp-hub reads JSON5 with bare keys: its servers are read, and an addition by hand is shown', async () => {
  const machine = await temporaryMachine();
  const text = "{\n  // mine\n  mcpServers: { a: { command: 'x' } },\n}\n";
  const file = await machine.file('home/.config/mcphub/servers.json', text);
  expect((await readHost('mcp-hub', machine.place)).servers).toMatchObject([{ name: 'a', command: 'x' }]);

  const { plan, result } = await syncHosts([{ ...stdio, name: 'b' }], { ...machine.options, hosts: ['mcp-hub'] });
  expect(result).toEqual({ files: [] });
  expect(plan.issues).toMatchObject([
    { code: 'file-not-edited', reason: 'unsupported-shape', line: 3, hint: 'add the text of manualSnippet by hand' },
  ]);
  expect(plan.issues[0]?.manualSnippet?.open()).toContain('"b"');
  expect(await textOf(file)).toBe(text);
});
