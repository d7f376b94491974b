import { describe, expect, test } from 'vitest';
import type { HostServer } from '../../../src/hosts.js';
import { moment, sync, typesOf } from '../helpers/in-memory-sync.js';
import { codesOf, read, written } from '../helpers/round-trip.js';

describe('Codex takes names of variables instead of values', () => {
  const server: HostServer = {
    name: 'api',
    transport: 'http',
    url: 'https://example.com/mcp',
    headers: { Authorization: `Bearer \${API_TOKEN}`, 'X-Key': `\${API_KEY}`, 'X-Team': 'blue' },
    enabled: true,
  };

  test('in headers', () => {
    const { entry } = written('codex-user', server);
    expect(entry).toEqual({
      url: 'https://example.com/mcp',
      http_headers: { 'X-Team': 'blue' },
      env_http_headers: { 'X-Key': 'API_KEY' },
      bearer_token_env_var: 'API_TOKEN',
    });
    const back = read('codex-user', 'api', entry).server;
    expect(back).toEqual(server);
  });

  test('and refuses names that would make it refuse its whole file', () => {
    expect(codesOf(written('codex-user', { ...server, name: 'my api' }).issues)).toEqual(['name-not-supported']);
  });
});

test('Goose is warned of looking into its own keyring', () => {
  const server: HostServer = { name: 's', transport: 'stdio', command: 'x', env: { KEY: `\${KEY}` } };
  const { entry, issues } = written('goose-user', server);
  expect(entry).toEqual({ name: 's', type: 'stdio', cmd: 'x', args: [], env_keys: ['KEY'], enabled: true });
  expect(issues).toMatchObject([{ code: 'keyring-variable', severity: 'warning' }]);
});

test('"workspace" is a name that Claude Code keeps to itself', () => {
  const server: HostServer = { name: 'workspace', transport: 'stdio', command: 'x' };
  expect(codesOf(written('claude-code-user', server).issues)).toEqual(['name-not-supported']);
});

test('Trae starts no command with a space in its path', () => {
  const server: HostServer = { name: 's', transport: 'stdio', command: '/opt/my tools/x' };
  expect(codesOf(written('trae-user', server).issues)).toEqual(['command-not-supported']);
});

test('Qwen Code tells the transports apart by the name of the url', () => {
  const remote = { name: 's', transport: 'http', url: 'https://example.com/' } as const;
  expect(written('qwen-code-user', remote).entry).toEqual({ httpUrl: 'https://example.com/' });
  expect(written('qwen-code-user', { ...remote, transport: 'sse' }).entry).toEqual({ url: 'https://example.com/' });
});

test.each([
  ['cline-user', 'sse'],
  ['cursor-user', 'http'],
  ['gemini-cli-user', 'http'],
])('to %s a url without a type is %s', (host, transport) => {
  expect(read(host, 's', { url: 'https://example.com/' }).server).toMatchObject({ transport });
});

test.each(['claude-code-user', 'roo-project'])('%s refuses a url without a type, and so do we', (host) => {
  const { server, issues } = read(host, 's', { url: 'https://example.com/' });
  expect(server).toBeUndefined();
  expect(codesOf(issues)).toEqual(['not-understood']);
});

test.each([
  ['gemini-cli-user', { httpUrl: 'https://example.com/' }],
  ['devin-desktop-user', { serverUrl: 'https://example.com/' }],
  ['windsurf-user', { url: 'https://example.com/' }],
  ['mcporter-user', { url: 'https://example.com/' }],
])('%s reads other spellings of the url', (host, entry) => {
  expect(read(host, 's', entry).server).toMatchObject({ transport: 'http', url: 'https://example.com/' });
});

test('seconds are rounded up, so that no call is cut short', () => {
  const server: HostServer = { name: 's', transport: 'stdio', command: 'x', timeoutMs: 1_500 };
  expect(written('roo-user', server).entry).toMatchObject({ timeout: 2 });
  expect(written('codex-user', server).entry).toMatchObject({ tool_timeout_sec: 1.5 });
  expect(written('kiro-user', server).entry).toMatchObject({ timeout: 1_500 });
});

test('a time limit that the host would refuse is left to the host', () => {
  const server: HostServer = { name: 's', transport: 'stdio', command: 'x', timeoutMs: 4_000_000 };
  const { entry, issues } = written('cline-user', server);
  expect(entry).not.toHaveProperty('timeout');
  expect(issues).toMatchObject([{ code: 'field-not-supported', severity: 'warning' }]);
});

describe('CFG-13 entries that are no servers of ours', () => {
  test.each([
    ['kilo-user', { enabled: false }],
    ['zed-user', { settings: { a: 1 } }],
    ['goose-user', { type: 'builtin', name: 'developer', enabled: true }],
    ['cursor-user', 'text'],
    ['cursor-user', null],
    ['cursor-user', ['list']],
    ['cursor-user', { command: 'x', url: 'https://example.com' }],
    ['cursor-user', { command: 7 }],
    ['cursor-user', { command: 'x', args: 'not a list' }],
    ['cursor-user', { command: 'x', env: ['a'] }],
    ['cursor-user', { command: 'x', env: { A: { b: 1 } } }],
    ['cursor-user', { url: 7 }],
    ['vscode-user', { type: 'stdio', url: 'https://example.com' }],
  ])('%s: %j is reported and left where it is', (host, entry) => {
    const { server, issues } = read(host, 's', entry);
    expect(server).toBeUndefined();
    expect(issues.length).toBeGreaterThan(0);
    expect(new Set(codesOf(issues))).toEqual(new Set(['not-understood']));
  });
});

test('numbers and truth values in an environment count as the text they look like', () => {
  expect(read('cursor-user', 's', { command: 'x', env: { A: 1, B: true } }).server).toMatchObject({
    env: { A: '1', B: 'true' },
  });
});

describe('Cline has two forms of an entry', () => {
  const nested = { transport: { type: 'stdio', command: 'x', args: ['a'] }, disabled: true, oauth: { state: 'y' } };
  const server: HostServer = { name: 's', transport: 'stdio', command: 'x', args: ['a'] };

  test('and both are read', () => {
    expect(read('cline-user', 's', nested).server).toMatchObject({ command: 'x', args: ['a'], enabled: false });
  });

  test('an entry of ours that the host brought into the other form is changed in that form', () => {
    const added = sync(moment('cline-user'), [server]);
    const rewritten = { ...added.after, text: JSON.stringify({ mcpServers: { s: nested } }) };
    expect(typesOf(sync(rewritten, [server]).plan)).toEqual(['keep s']);

    const changed = sync(rewritten, [{ ...server, args: ['b'], env: { A: '1' } }]);
    expect(typesOf(changed.plan)).toEqual(['change s']);
    expect(JSON.parse(changed.after.text ?? '').mcpServers.s).toEqual({
      ...nested,
      transport: { type: 'stdio', command: 'x', args: ['b'], env: { A: '1' } },
    });
  });
});

describe('OpenCode has two layouts', () => {
  const server: HostServer = { name: 's', transport: 'stdio', command: 'x', enabled: false };
  const entryOf = (text: string) => sync(moment('opencode-user', text), [server]).after.text ?? '';

  test('servers go where the others are', () => {
    const second = entryOf('{"mcp":{"timeout":5,"servers":{"a":{"type":"local","command":["y"]}}}}');
    expect(JSON.parse(second).mcp.servers.s).toEqual({ type: 'local', command: ['x'], disabled: true });
    const first = entryOf('{"mcp":{"a":{"type":"local","command":["y"]}}}');
    expect(JSON.parse(first).mcp.s).toEqual({ type: 'local', command: ['x'], enabled: false });
  });

  test('a server that is called "servers" is one', () => {
    const text = entryOf('{"mcp":{"servers":{"type":"local","command":["y"],"enabled":true}}}');
    expect(JSON.parse(text).mcp).toHaveProperty('s');
  });
});

test('mcp-hub keeps its servers under either of two keys', () => {
  const server: HostServer = { name: 's', transport: 'stdio', command: 'x' };
  const text = sync(moment('mcp-hub', '{"servers":{"a":{"command":"y"}}}'), [server]).after.text ?? '';
  expect(JSON.parse(text)).toEqual({ servers: { a: { command: 'y' }, s: { command: 'x' } } });
});

describe('on Windows', () => {
  const server: HostServer = {
    name: 's',
    transport: 'stdio',
    command: 'npx',
    args: ['-y', 'demo'],
    env: {},
    enabled: true,
  };

  test('a batch file goes through cmd where the host needs it, and comes back without', () => {
    const { entry } = written('claude-code-user', server, { platform: 'win32' });
    expect(entry).toMatchObject({ command: 'cmd', args: ['/c', 'npx', '-y', 'demo'] });
    expect(read('claude-code-user', 's', entry).server).toEqual(server);
  });

  test('a list of words, too', () => {
    const { entry } = written('kilo-user', server, { platform: 'win32' });
    expect(entry).toMatchObject({ command: ['cmd', '/c', 'npx', '-y', 'demo'] });
  });

  test('a file of a project stays as every system can read it, with a warning', () => {
    const { entry, issues } = written('claude-code-project', server, { platform: 'win32' });
    expect(entry).toMatchObject({ command: 'npx' });
    expect(issues).toMatchObject([{ code: 'shim-in-project-file', severity: 'warning' }]);
  });

  test('hosts that are not known to need it, and programs that are none, are left alone', () => {
    expect(written('roo-user', server, { platform: 'win32' }).entry).toMatchObject({ command: 'npx' });
    const program = { ...server, command: 'uvx' };
    expect(written('claude-code-user', program, { platform: 'win32' }).entry).toMatchObject({ command: 'uvx' });
    expect(written('claude-code-user', server, { platform: 'linux' }).entry).toMatchObject({ command: 'npx' });
  });
});
