import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkRequirements, parseConfig, type ServerFacts } from '../src/index.js';

const config = parseConfig([
  {
    text: `mcp_servers:
  filesystem: { command: npx -y files, package: "@modelcontextprotocol/server-filesystem" }
  git: { command: git-mcp }
  web: { url: "https://example.com/mcp" }
`,
  },
  {
    text: `tools:
  claude-code:
    mcp_tools: { required: [filesystem, git], recommended: [web, code-search], optional: [github] }
  codex: {}
`,
  },
]);

const statuses = (facts: Record<string, ServerFacts>) => {
  const report = checkRequirements(config, facts);
  const { required = [], recommended = [], optional = [] } = report.tools[0] ?? {};
  return Object.fromEntries([...required, ...recommended, ...optional].map(({ server, status }) => [server, status]));
};

test('without facts, a configured server is satisfied', () => {
  expect(checkRequirements(config)).toEqual({
    readiness: 'degraded',
    undeclared: [],
    tools: [
      {
        tool: 'claude-code',
        readiness: 'degraded',
        required: [
          { server: 'filesystem', satisfied: true, status: 'configured' },
          { server: 'git', satisfied: true, status: 'configured' },
        ],
        recommended: [
          { server: 'web', satisfied: true, status: 'configured' },
          {
            server: 'code-search',
            satisfied: false,
            status: 'not-configured',
            installHint: 'add code-search to mcp_servers in mcp_servers.yaml, with the command that starts it',
          },
        ],
        optional: [
          {
            server: 'github',
            satisfied: false,
            status: 'not-configured',
            installHint: 'add github to mcp_servers in mcp_servers.yaml, with the command that starts it',
          },
        ],
      },
      { tool: 'codex', readiness: 'ready', required: [], recommended: [], optional: [] },
    ],
  });
});

test('without facts of each needed server, a tool is configured and not ready', () => {
  const needs = (mcp_tools: object) =>
    parseConfig([
      { text: 'mcp_servers: { git: { command: x }, web: { url: "https://example.com/mcp" } }' },
      { text: JSON.stringify({ tools: { t: { mcp_tools } } }) },
    ]);
  const both = needs({ required: ['git'], recommended: ['web'] });
  expect(checkRequirements(both)).toMatchObject({ readiness: 'configured', tools: [{ readiness: 'configured' }] });
  expect(checkRequirements(both, { git: { installed: true } }).readiness).toBe('configured');
  expect(checkRequirements(both, { git: { installed: true }, web: {} }).readiness).toBe('ready');
  expect(checkRequirements(needs({ optional: ['git'] })).readiness).toBe('ready');
});

test('configured servers that no tool lists are undeclared, if any tool lists servers', () => {
  const servers = { text: 'mcp_servers: { git: { command: x }, web: { command: x }, files: { command: x } }' };
  const lists = { text: 'tools: { a: { mcp_tools: { required: [git] } }, b: { mcp_tools: { optional: [files] } } }' };
  expect(checkRequirements(parseConfig([servers, lists])).undeclared).toEqual(['web']);
  expect(checkRequirements(parseConfig([servers, { text: 'tools: { a: {} }' }])).undeclared).toEqual([]);
});

test('a package that the first start downloads has instructions, and the server is available', () => {
  const [tool] = checkRequirements(config, { filesystem: { installed: true, downloaded: false } }).tools;
  expect(tool?.required[0]).toEqual({
    server: 'filesystem',
    satisfied: true,
    status: 'configured',
    installHint: 'npm install -g @modelcontextprotocol/server-filesystem; otherwise the first start downloads it',
  });
});

test('the first missing condition decides the status', () => {
  expect(
    statuses({
      filesystem: { installed: false, running: false, healthy: false },
      git: { installed: true, running: false, healthy: false },
      web: { running: true, healthy: false },
      github: { running: true },
    }),
  ).toEqual({
    filesystem: 'not-installed',
    git: 'not-running',
    web: 'unhealthy',
    'code-search': 'not-configured',
    github: 'not-configured',
  });
  expect(statuses({ filesystem: { running: true }, git: { healthy: true }, web: { installed: true } })).toMatchObject({
    filesystem: 'ready',
    git: 'ready',
    web: 'configured',
  });
});

test('running servers and servers with a URL need not be installed', () => {
  expect(
    statuses({
      filesystem: { installed: false, running: true, healthy: true },
      git: { installed: false, healthy: true },
      web: { installed: false },
    }),
  ).toMatchObject({ filesystem: 'ready', git: 'ready', web: 'configured' });
  expect(
    statuses({ filesystem: { installed: false }, git: { installed: false, running: false }, web: { running: false } }),
  ).toMatchObject({ filesystem: 'not-installed', git: 'not-installed', web: 'not-running' });
});

test('a server that is not installed has install instructions', () => {
  const missing = { installed: false };
  const [tool] = checkRequirements(config, { filesystem: missing, git: missing, web: missing }).tools;
  expect(tool?.required.map((entry) => entry.installHint)).toEqual([
    'install Node.js, which has npx; then npm install -g @modelcontextprotocol/server-filesystem',
    'install git-mcp, or correct the command of git',
  ]);
  const elsewhere = { installed: false, installHint: 'it is at /opt/bin/git-mcp' };
  expect(checkRequirements(config, { git: elsewhere }).tools[0]?.required[1]).toMatchObject({
    installHint: 'it is at /opt/bin/git-mcp',
  });
  expect(tool?.recommended[0]?.installHint).toBeUndefined();
});

test.each([
  ['git-server', 'git-server', 'npm install -g git-server'],
  ['npx -y git-server', 'git-server', 'install Node.js, which has npx; then npm install -g git-server'],
  ['/usr/bin/npx git-server', undefined, 'install Node.js, which has npx'],
  ['bunx git-server', 'git-server', 'install Bun, which has bunx; then bun add -g git-server'],
  ['uvx mcp-server-git', 'mcp-server-git', 'install uv, which has uvx; then uv tool install mcp-server-git'],
  ['uvx mcp-server-git', undefined, 'install uv, which has uvx'],
  ['pipx run mcp-server-git', 'mcp-server-git', 'install pipx; then pipx install mcp-server-git'],
  ['docker run -i image', undefined, 'install docker, or correct the command of git'],
])('%s, package %s: %s', (command, name, hint) => {
  const servers = { mcp_servers: { git: { command, ...(name === undefined ? {} : { package: name }) } } };
  const asking = parseConfig([
    { text: JSON.stringify(servers) },
    { text: 'tools: { t: { mcp_tools: { required: [git] } } }' },
  ]);
  const [tool] = checkRequirements(asking, { git: { installed: false } }).tools;
  expect(tool?.required).toMatchObject([{ status: 'not-installed', installHint: hint }]);
});

test('names of object properties have no facts', () => {
  const odd = parseConfig([
    { text: 'mcp_servers: { toString: { command: x } }' },
    { text: 'tools: { t: { mcp_tools: { required: [toString] } } }' },
  ]);
  expect(checkRequirements(odd, {}).tools[0]?.required).toEqual([
    { server: 'toString', satisfied: true, status: 'configured' },
  ]);
});

describe('readiness', () => {
  const fact = fc.record(
    { installed: fc.boolean(), running: fc.boolean(), healthy: fc.boolean() },
    { requiredKeys: [] },
  );
  const facts = fc.record({ filesystem: fact, git: fact, web: fact }, { requiredKeys: [] });

  test('is blocked by required, degraded by recommended, and unaffected by optional servers', () => {
    fc.assert(
      fc.property(facts, (given) => {
        const report = checkRequirements(config, given as Record<string, ServerFacts>);
        const [tool] = report.tools;
        const isBlocked = tool?.required.some((entry) => !entry.satisfied);
        const isDegraded = tool?.recommended.some((entry) => !entry.satisfied);
        const available = ['filesystem', 'git', 'web'].every((name) => name in given) ? 'ready' : 'configured';
        expect(report.readiness).toBe(isBlocked ? 'blocked' : isDegraded ? 'degraded' : available);
        expect(tool?.readiness).toBe(report.readiness);
      }),
    );
  });

  test('is ready if no tool uses servers', () => {
    expect(checkRequirements({ servers: [], tools: [] })).toEqual({ readiness: 'ready', tools: [], undeclared: [] });
  });
});

test('a disabled server is unavailable', () => {
  const disabled = parseConfig([
    { text: 'mcp_servers: { off: { command: x, disabled: true } }' },
    { text: 'tools: { app: { mcp_tools: { required: [off] } } }' },
  ]);
  expect(checkRequirements(disabled).tools[0]?.required).toEqual([
    { server: 'off', satisfied: false, status: 'not-running' },
  ]);
});
