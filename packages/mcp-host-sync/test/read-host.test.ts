import { relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { detectHosts, type HostPlace, hostPaths, listHosts, readHost } from '../src/index.js';
import { hostFixtures } from './helpers/fixtures.js';
import { temporaryMachine } from './helpers/temporary-machine.js';

test('reads a host into the common form', async () => {
  const { place, file } = await temporaryMachine();
  const path = await file(
    'home/.codex/config.toml',
    [
      'model = "x"',
      '[mcp_servers.docs]',
      'command = "uvx"',
      'args = ["docs-mcp"]',
      'env_vars = ["DOCS_KEY"]',
      'tool_timeout_sec = 2.5',
      '[mcp_servers.docs.tools.search]',
      'approval_mode = "auto"',
      '[mcp_servers.api]',
      'url = "https://example.com/mcp"',
      'bearer_token_env_var = "API_TOKEN"',
      'enabled = false',
      '[mcp_servers.broken]',
      'args = []',
      '[mcp_servers.gateway]',
      'command = "mcpx"',
      'args = ["serve"]',
      '',
    ].join('\n'),
  );
  expect(await readHost('codex-user', place)).toEqual({
    host: 'codex-user',
    file: path,
    exists: true,
    servers: [
      {
        name: 'docs',
        transport: 'stdio',
        command: 'uvx',
        args: ['docs-mcp'],
        env: { DOCS_KEY: `\${DOCS_KEY}` },
        enabled: true,
        timeoutMs: 2_500,
      },
      {
        name: 'api',
        transport: 'http',
        url: 'https://example.com/mcp',
        headers: { Authorization: `Bearer \${API_TOKEN}` },
        enabled: false,
      },
    ],
    gateway: ['gateway'],
    issues: [
      {
        code: 'field-not-supported',
        severity: 'warning',
        host: 'codex-user',
        server: 'docs',
        message: 'These fields have no counterpart and are not read: tools',
        file: path,
      },
      {
        code: 'not-understood',
        severity: 'error',
        host: 'codex-user',
        server: 'broken',
        message: 'The entry has neither a command nor a url',
        file: path,
      },
    ],
  });
});

test('a host without a file has no servers', async () => {
  const { place } = await temporaryMachine();
  expect(await readHost('zed', place)).toMatchObject({ exists: false, servers: [], gateway: [], issues: [] });
});

test('a read-only file can be read', async () => {
  const { place, file } = await temporaryMachine();
  await file('home/.cursor/mcp.json', '{"mcpServers":{"a":{"command":"x"}}}', 0o444);
  expect((await readHost('cursor-user', place)).servers).toMatchObject([{ name: 'a' }]);
});

test('a file that cannot be parsed is an error with its position', async () => {
  const { place, file } = await temporaryMachine();
  const path = await file('home/.codex/config.toml', 'a = 1\nb = = 2\n');
  const error = await readHost('codex-user', place).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: 'unreadable-document', file: path, line: 2, column: 5 });
  expect(String(error)).toContain(`HostFileError: ${path}:2:5: `);
});

const readable = hostFixtures.filter(({ host }) => host !== 'visual-studio-solution');

describe('real files', () => {
  test.each(readable.map((fixture) => [fixture.host, fixture] as const))('%s is read', async (host, { after }) => {
    const { place, file } = await temporaryMachine();
    const reading = await readHost(host, place);
    await file(reading.file.slice(place.home.length - 'home'.length), after);
    const { servers } = await readHost(host, place);
    expect(servers.find(({ name }) => name === 'demo')).toEqual({
      name: 'demo',
      transport: 'stdio',
      command: 'npx',
      args: ['-y', 'demo-mcp'],
      env: { DEMO_KEY: 'x' },
      enabled: true,
    });
    if (host === 'claude-desktop') return;
    expect(servers.find(({ name }) => name === 'remote')).toEqual({
      name: 'remote',
      transport: 'http',
      url: 'https://example.com/mcp',
      headers: { Authorization: 'Bearer x' },
      enabled: true,
    });
  });
});

describe('hosts of this machine', () => {
  test('are those with an existing file', async () => {
    const { root, place, file } = await temporaryMachine();
    expect(await detectHosts(place)).toEqual([]);
    const zed = await file(relative(root, pathOf('zed-user', place)), '{}');
    const shared = await file('app/.mcp.json', '{}');
    const found = await detectHosts(place);
    expect(found.map(({ host, file: path }) => [host, path])).toEqual([
      ['claude-code-project', shared],
      ['copilot-cli-project', shared],
      ...(process.platform === 'win32' ? [['visual-studio-solution', shared]] : []),
      ['zed-user', zed],
    ]);
  });

  test('are found despite a variable that gives another host a relative path', async () => {
    const { root, place, file } = await temporaryMachine();
    const zed = await file(relative(root, pathOf('zed-user', place)), '{}');
    const found = await detectHosts({ ...place, env: { CODEX_HOME: 'codex', VIBE_HOME: '~/.vibe' } });
    expect(found.map(({ host, file: path }) => [host, path])).toEqual([['zed-user', zed]]);
  });
});

test('the list of hosts has the capabilities of each', () => {
  const hosts = new Map(listHosts().map((host) => [host.id, host]));
  expect(hosts.get('claude-desktop')).toEqual({
    id: 'claude-desktop',
    family: 'claude-desktop',
    name: 'Claude Desktop',
    scope: 'user',
    platforms: ['darwin', 'linux', 'win32'],
    dialect: 'json',
    transports: ['stdio'],
    replacesVariables: false,
    replacedBy: undefined,
    evidence: ['place', 'stdio', 'args', 'env'].map((fact) => ({ fact, by: 'documentation' })),
  });
  expect(hosts.get('codex-user')).toMatchObject({ transports: ['stdio', 'http'], replacesVariables: true });
  expect(hosts.get('xcode-claude-agent')).toMatchObject({ replacesVariables: false });
});

test('each fact of a host is from a run of its program, from its source, or from its documentation', () => {
  const hosts = new Map(listHosts().map(({ id, evidence }) => [id, evidence]));
  expect(hosts.get('gemini-cli-user')).toContainEqual({
    fact: 'variables',
    by: 'program',
    program: 'Gemini CLI',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
  });
  expect(hosts.get('goose-user')).toContainEqual({ fact: 'variables', by: 'source' });
  expect(hosts.get('cursor-user')).toContainEqual({ fact: 'variables', by: 'documentation' });
});

test('reads what VS Code asks its user for, and ignores a list that is none', async () => {
  const { root, place, file } = await temporaryMachine();
  const inputs = [
    { type: 'promptString', id: 'token', description: 'The token', password: true },
    { type: 'pickString', id: 'region', options: ['eu', { label: 'America', value: 'us' }, 7], default: 'eu' },
    { type: 'command', id: 'found', command: 'x' },
  ];
  const path = relative(root, pathOf('vscode-user', place));
  await file(path, JSON.stringify({ inputs, servers: {} }));
  expect((await readHost('vscode-user', place)).inputs).toEqual([
    { id: 'token', description: 'The token', isSecret: true },
    { id: 'region', isSecret: false, options: ['eu', 'us'], default: 'eu' },
    { id: 'found', isSecret: false },
  ]);
  for (const other of [[], {}, 'x', [{ type: 'promptString' }], undefined]) {
    await file(path, JSON.stringify({ inputs: other, servers: {} }));
    expect(await readHost('vscode-user', place)).not.toHaveProperty('inputs');
  }
});

function pathOf(host: string, place: HostPlace): string {
  return hostPaths(host, place).find(({ creates }) => creates)?.path ?? '';
}
