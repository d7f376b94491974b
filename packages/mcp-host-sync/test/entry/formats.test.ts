import { describe, expect, test } from 'vitest';
import type { HostServer } from '../../src/index.js';
import { moment, sync, typesOf } from '../helpers/in-memory-sync.js';
import { codesOf, read, written } from '../helpers/round-trip.js';

describe('Codex stores names of variables instead of values', () => {
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

  test('and rejects names that would make the whole file invalid', () => {
    expect(codesOf(written('codex-user', { ...server, name: 'my api' }).issues)).toEqual(['name-not-supported']);
  });
});

test('warns that Goose reads the value from its own keyring', () => {
  const server: HostServer = { name: 's', transport: 'stdio', command: 'x', env: { KEY: `\${KEY}` } };
  const { entry, issues } = written('goose-user', server);
  expect(entry).toEqual({ name: 's', type: 'stdio', cmd: 'x', args: [], env_keys: ['KEY'], enabled: true });
  expect(issues).toMatchObject([{ code: 'keyring-variable', severity: 'warning' }]);
});

test('rejects "workspace", a reserved name in Claude Code', () => {
  const server: HostServer = { name: 'workspace', transport: 'stdio', command: 'x' };
  expect(codesOf(written('claude-code-user', server).issues)).toEqual(['name-not-supported']);
});

test('rejects a command with a space in its path for Trae', () => {
  const server: HostServer = { name: 's', transport: 'stdio', command: '/opt/my tools/x' };
  expect(codesOf(written('trae-user', server).issues)).toEqual(['command-not-supported']);
});

test('Qwen Code distinguishes transports by the field of the url', () => {
  const remote = { name: 's', transport: 'http', url: 'https://example.com/' } as const;
  expect(written('qwen-code-user', remote).entry).toEqual({ httpUrl: 'https://example.com/' });
  expect(written('qwen-code-user', { ...remote, transport: 'sse' }).entry).toEqual({ url: 'https://example.com/' });
});

test.each([
  ['cline-user', 'sse'],
  ['cursor-user', 'http'],
  ['gemini-cli-user', 'http'],
])('reads a url without a type in %s as %s', (host, transport) => {
  expect(read(host, 's', { url: 'https://example.com/' }).server).toMatchObject({ transport });
});

test.each(['claude-code-user', 'roo-project'])('rejects a url without a type, as %s does', (host) => {
  const { server, issues } = read(host, 's', { url: 'https://example.com/' });
  expect(server).toBeUndefined();
  expect(codesOf(issues)).toEqual(['not-understood']);
});

test.each([
  ['gemini-cli-user', { httpUrl: 'https://example.com/' }],
  ['devin-desktop-user', { serverUrl: 'https://example.com/' }],
  ['windsurf-user', { url: 'https://example.com/' }],
  ['mcporter-user', { url: 'https://example.com/' }],
])('reads other spellings of the url in %s', (host, entry) => {
  expect(read(host, 's', entry).server).toMatchObject({ transport: 'http', url: 'https://example.com/' });
});

test('rounds seconds up, so that no call is cut short', () => {
  const server: HostServer = { name: 's', transport: 'stdio', command: 'x', timeoutMs: 1_500 };
  expect(written('roo-user', server).entry).toMatchObject({ timeout: 2 });
  expect(written('codex-user', server).entry).toMatchObject({ tool_timeout_sec: 1.5 });
  expect(written('kiro-user', server).entry).toMatchObject({ timeout: 1_500 });
});

test('omits a time limit that the host would reject', () => {
  const server: HostServer = { name: 's', transport: 'stdio', command: 'x', timeoutMs: 4_000_000 };
  const { entry, issues } = written('cline-user', server);
  expect(entry).not.toHaveProperty('timeout');
  expect(issues).toMatchObject([{ code: 'field-not-supported', severity: 'warning' }]);
});

describe('entries that cannot be converted', () => {
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
  ])('%s: %j is reported and left unchanged', (host, entry) => {
    const { server, issues } = read(host, 's', entry);
    expect(server).toBeUndefined();
    expect(issues.length).toBeGreaterThan(0);
    expect(new Set(codesOf(issues))).toEqual(new Set(['not-understood']));
  });
});

test('reads numbers and booleans in an environment as text', () => {
  expect(read('cursor-user', 's', { command: 'x', env: { A: 1, B: true } }).server).toMatchObject({
    env: { A: '1', B: 'true' },
  });
});

describe('Cline has two forms of an entry', () => {
  const nested = { transport: { type: 'stdio', command: 'x', args: ['a'] }, disabled: true, oauth: { state: 'y' } };
  const server: HostServer = { name: 's', transport: 'stdio', command: 'x', args: ['a'] };

  test('reads both', () => {
    expect(read('cline-user', 's', nested).server).toMatchObject({ command: 'x', args: ['a'], enabled: false });
  });

  test('changes an entry in the form that the host has converted it to', () => {
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

  test('adds servers to the layout in use', () => {
    const second = entryOf('{"mcp":{"timeout":5,"servers":{"a":{"type":"local","command":["y"]}}}}');
    expect(JSON.parse(second).mcp.servers.s).toEqual({ type: 'local', command: ['x'], disabled: true });
    const first = entryOf('{"mcp":{"a":{"type":"local","command":["y"]}}}');
    expect(JSON.parse(first).mcp.s).toEqual({ type: 'local', command: ['x'], enabled: false });
  });

  test('supports a server named "servers"', () => {
    const text = entryOf('{"mcp":{"servers":{"type":"local","command":["y"],"enabled":true}}}');
    expect(JSON.parse(text).mcp).toHaveProperty('s');
  });
});

test('mcp-hub stores servers under either of two keys', () => {
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

  test('wraps a batch file in cmd if the host needs it, and unwraps it when read', () => {
    const { entry } = written('claude-code-user', server, { platform: 'win32' });
    expect(entry).toMatchObject({ command: 'cmd', args: ['/c', 'npx', '-y', 'demo'] });
    expect(read('claude-code-user', 's', entry).server).toEqual(server);
  });

  test('wraps a list of words, too', () => {
    const { entry } = written('kilo-user', server, { platform: 'win32' });
    expect(entry).toMatchObject({ command: ['cmd', '/c', 'npx', '-y', 'demo'] });
  });

  test('leaves a project file portable, with a warning', () => {
    const { entry, issues } = written('claude-code-project', server, { platform: 'win32' });
    expect(entry).toMatchObject({ command: 'npx' });
    expect(issues).toMatchObject([{ code: 'shim-in-project-file', severity: 'warning' }]);
  });

  test('does not wrap other programs, or commands of hosts that do not need it', () => {
    expect(written('roo-user', server, { platform: 'win32' }).entry).toMatchObject({ command: 'npx' });
    const program = { ...server, command: 'uvx' };
    expect(written('claude-code-user', program, { platform: 'win32' }).entry).toMatchObject({ command: 'uvx' });
    expect(written('claude-code-user', server, { platform: 'linux' }).entry).toMatchObject({ command: 'npx' });
  });
});

describe('reads lists of tools without allowing more tools than the host', () => {
  test.each([
    ['mcporter-user', { allowedTools: ['a', 'b'] }, { allowedTools: ['a', 'b'] }],
    ['mcporter-user', { allowed_tools: [] }, { allowedTools: [] }],
    ['mcporter-project', { blockedTools: ['a'] }, { deniedTools: ['a'] }],
    ['mcporter-user', { blocked_tools: ['a'] }, { deniedTools: ['a'] }],
    ['mcp-hub', { disabled_tools: ['a'] }, { deniedTools: ['a'] }],
    ['gemini-cli-user', { includeTools: ['a'], excludeTools: ['b'] }, { allowedTools: ['a'], deniedTools: ['b'] }],
    ['qwen-code-user', { includeTools: ['a'], excludeTools: ['b'] }, { allowedTools: ['a'], deniedTools: ['b'] }],
    ['codex-user', { enabled_tools: ['a'], disabled_tools: ['b'] }, { allowedTools: ['a'], deniedTools: ['b'] }],
    ['crush-user', { enabled_tools: ['a'], disabled_tools: ['b'] }, { allowedTools: ['a'], deniedTools: ['b'] }],
    ['factory-user', { enabledTools: ['a'], disabledTools: ['b'] }, { allowedTools: ['a'], deniedTools: ['b'] }],
    ['copilot-cli-user', { tools: ['a'] }, { allowedTools: ['a'] }],
    ['copilot-cli-user', { tools: ['*'] }, {}],
    ['amp-user', { includeTools: ['read_*'] }, { allowedTools: ['read_*'] }],
    ['goose-user', { available_tools: ['a'] }, { allowedTools: ['a'] }],
    ['goose-user', { available_tools: [] }, {}],
    ['roo-user', { disabledTools: ['a'] }, { deniedTools: ['a'] }],
    ['kiro-user', { disabledTools: ['a'] }, { deniedTools: ['a'] }],
    ['windsurf-user', { disabledTools: ['a'] }, { deniedTools: ['a'] }],
  ])('%s: %j', (host, lists, expected) => {
    const command = host === 'goose-user' ? 'cmd' : 'command';
    const { server, issues } = read(host, 's', { [command]: 'x', ...lists });
    expect(issues).toEqual([]);
    const { allowedTools, deniedTools } = server ?? {};
    expect({ ...(allowedTools && { allowedTools }), ...(deniedTools && { deniedTools }) }).toEqual(expected);
  });

  test('reads the lists of a remote server', () => {
    const entry = { baseUrl: 'https://example.com/', blockedTools: ['a'] };
    expect(read('mcporter-user', 's', entry).server).toMatchObject({ transport: 'http', deniedTools: ['a'] });
  });

  test('does not read a literal "*" as a pattern', () => {
    const { server, issues } = read('mcporter-user', 's', { command: 'x', allowedTools: ['read', 'write_*'] });
    expect(server).toMatchObject({ allowedTools: ['read'] });
    expect(issues).toMatchObject([{ code: 'field-not-supported', severity: 'warning' }]);
  });

  test.each(['read', ['read', 7], [`\${LIST}`], { read: true }])(
    'leaves out the server with an unreadable list, %j',
    (list) => {
      for (const field of ['allowedTools', 'blockedTools']) {
        const { server, issues } = read('mcporter-user', 's', { command: 'x', [field]: list });
        expect(server).toBeUndefined();
        expect(issues).toMatchObject([{ code: 'not-understood', message: expect.stringContaining(field) }]);
      }
    },
  );
});

test('reports unsupported fields by name, never by value', () => {
  const entry = {
    baseUrl: 'https://example.com/',
    bearerToken: 'planted-value',
    auth: 'oauth',
    lifecycle: { mode: 'keep-alive' },
    description: '',
    imports: [],
  };
  const { server, issues } = read('mcporter-user', 's', entry);
  expect(server).toMatchObject({ url: 'https://example.com/' });
  expect(codesOf(issues)).toEqual(['field-not-supported']);
  expect(issues[0]?.message).toBe('These fields have no counterpart and are not read: bearerToken, auth, lifecycle');
  expect(JSON.stringify({ server, issues })).not.toContain('planted-value');
  const nested = { name: 's', type: 'sse', url: 'https://example.com/', requestOptions: { timeout: 5, headers: {} } };
  expect(read('continue-user', 's', nested).issues[0]?.message).toContain('requestOptions.timeout');
});

test.each(['mcporter-user', 'cursor-user', 'gemini-cli-user'])(
  '%s: reports that lists of tools are not written',
  (host) => {
    const server: HostServer = { name: 's', transport: 'stdio', command: 'x', deniedTools: ['write'] };
    const { entry, issues } = written(host, server);
    expect(entry).toBeDefined();
    expect(issues).toMatchObject([{ code: 'field-not-supported', severity: 'warning', server: 's' }]);
    expect(issues[0]?.message).toContain('denied_tools');
    expect(codesOf(written(host, { ...server, deniedTools: [], allowedTools: [] }).issues)).toEqual([
      'field-not-supported',
    ]);
    expect(written(host, { ...server, deniedTools: [] }).issues).toEqual([]);
  },
);

describe('MCPorter', () => {
  test('splits a command without arguments', () => {
    const { server } = read('mcporter-user', 's', { command: `npx -y 'my server' .`, args: [] });
    expect(server).toMatchObject({ command: 'npx', args: ['-y', 'my server', '.'] });
    expect(read('mcporter-user', 's', { command: '/my tools/x', args: ['a'] }).server).toMatchObject({
      command: '/my tools/x',
      args: ['a'],
    });
    expect(read('mcporter-user', 's', { command: `npx 'x` }).issues).toMatchObject([{ code: 'not-understood' }]);
    expect(read('cursor-user', 's', { command: '/my tools/x' }).server).toMatchObject({ command: '/my tools/x' });
  });

  test('keeps a list of tools that the user adds to an entry', () => {
    const server: HostServer = { name: 's', transport: 'stdio', command: 'x', deniedTools: ['write'] };
    const added = sync(moment('mcporter-user'), [server]);
    const text = JSON.stringify({ mcpServers: { s: { command: 'x', blockedTools: ['write'] } } });
    const changed = sync({ ...added.after, text }, [{ ...server, args: ['a'] }]);
    expect(typesOf(changed.plan)).toEqual(['change s']);
    expect(JSON.parse(changed.after.text ?? '').mcpServers.s).toMatchObject({ args: ['a'], blockedTools: ['write'] });
  });

  test('gets a program with a space in its path as a list', () => {
    const server: HostServer = {
      name: 's',
      transport: 'stdio',
      command: '/my tools/x',
      args: [],
      env: {},
      enabled: true,
    };
    const { entry } = written('mcporter-user', server);
    expect(entry).toEqual({ command: ['/my tools/x'] });
    expect(read('mcporter-user', 's', entry).server).toEqual(server);
  });

  test('reads two spellings of a variable', () => {
    const env = { A: '$env:TOKEN', B: `\${TOKEN}`, C: `\${TOKEN:-x}`, D: 'not $env:TOKEN', E: '$env:' };
    const { server, issues } = read('mcporter-user', 's', { command: 'x', env });
    expect(server).toMatchObject({
      env: { ...env, A: `\${TOKEN}` },
    });
    expect(codesOf(issues)).toEqual(['host-variable']);
  });
});
