import { describe, expect, test } from 'vitest';
import { checkConfig } from '../../src/index.js';

const servers = { file: 'servers.yaml', text: 'mcp_servers:\n  git: { command: x }\n  my.files: { command: x }\n' };
const withRules = (...allowed: string[]) => ({
  file: 'tools.yaml',
  text: `tools:\n  t:\n    role_restrictions:\n      r:\n        allowed_tools: ${JSON.stringify(allowed)}\n`,
});

describe('role rules', () => {
  test('may name servers, their tools, patterns, and tools without a server', () => {
    const rules = ['git', 'git.log', 'git.*', 'git.read_*', 'my.files.read', 'my.files', 'bash'];
    rules.push(
      'git/log',
      'git/*',
      'mcp__git__log',
      'mcp__git__read_*',
      'my.files/read',
      'mcp__my_files__read_zhvjua4h',
    );
    for (const rule of rules) expect(checkConfig([servers, withRules(rule)]).issues).toEqual([]);
  });

  test('may name servers of other nodes of a fleet', () => {
    for (const rule of ['git@build-1.log', 'web@build-1.*', 'web@build-1.read_*']) {
      expect(checkConfig([servers, withRules(rule)]).issues).toEqual([]);
    }
    expect(checkConfig([servers, withRules('web@.get')]).issues).toMatchObject([{ code: 'unknown-server' }]);
  });

  test.each(['*', '*.read', 'g*.log', 'gi*', '**', '*.*', '*/read', 'mcp__*__read', 'mcp__gi*', 'mcp__*'])(
    'warns that %s allows nothing',
    (rule) => {
      expect(checkConfig([servers, withRules(rule)]).issues).toMatchObject([
        { code: 'misplaced-star', severity: 'warning', rule, line: 5, column: 25 },
      ]);
    },
  );

  test('may have a star in a server name that contains one', () => {
    const starred = { text: 'mcp_servers: { "git*": { command: x } }' };
    for (const rule of ['git*', 'git*.log']) expect(checkConfig([starred, withRules(rule)]).issues).toEqual([]);
  });

  test('warns about unknown servers, with a suggestion', () => {
    for (const rule of ['gitt/log', 'gitt/*', 'mcp__gitt__log', 'mcp__gitt__*']) {
      expect(checkConfig([servers, withRules(rule)]).issues).toMatchObject([
        { code: 'unknown-server', server: 'gitt', didYouMean: 'git' },
      ]);
    }
    const { issues, config } = checkConfig([servers, withRules('gitt.log', 'web.get')]);
    expect(issues).toMatchObject([
      { code: 'unknown-server', severity: 'warning', server: 'gitt', didYouMean: 'git', column: 25 },
      {
        code: 'unknown-server',
        severity: 'warning',
        server: 'web',
        hint: 'add it to mcp_servers.yaml, or name one of these: "git", "my.files"',
      },
    ]);
    expect(config?.roles).toMatchObject([{ role: 'r', allowedTools: ['gitt.log', 'web.get'], tool: 't' }]);
  });

  test('are compared with the tiers if no text has servers', () => {
    const text =
      'tools:\n  t:\n    mcp_tools: { required: [git] }\n    role_restrictions: { r: { allowed_tools: [git.log, web.get] } }\n';
    expect(checkConfig({ text }).issues).toMatchObject([
      {
        code: 'unknown-server',
        server: 'web',
        line: 4,
        message: 'Role "r" is allowed a tool of server "web", which no tool lists in mcp_tools',
        hint: 'add it to the mcp_tools of a tool, or name one of these: "git"',
      },
    ]);
  });
});

test('warns about required and recommended servers that are not configured, and about no optional ones', () => {
  const text = 'tools:\n  t:\n    mcp_tools: { required: [gti], recommended: [web], optional: [github, my.file] }\n';
  expect(checkConfig([servers, { text }]).issues).toMatchObject([
    { code: 'missing-required-server', severity: 'warning', server: 'gti', tool: 't', didYouMean: 'git' },
    { code: 'unknown-server', severity: 'warning', server: 'web', didYouMean: undefined },
  ]);
});

test('suggests no server that the tool lists already, because two tiers conflict', () => {
  const text = 'tools:\n  t:\n    mcp_tools: { required: [git], recommended: [github] }\n';
  expect(checkConfig([servers, { text }]).issues).toMatchObject([
    { code: 'unknown-server', server: 'github', didYouMean: undefined, hint: 'add it to mcp_servers.yaml' },
  ]);
});

test('a server with an invalid entry is not reported as unknown', () => {
  const broken = { text: 'mcp_servers:\n  git: { comand: x }\n' };
  expect(checkConfig([broken, withRules('git.log')]).issues).toMatchObject([{ code: 'unknown-key' }]);
});

test('no server is reported as unknown while a text is unreadable', () => {
  expect(checkConfig([{ text: 'mcp_servers: [' }, withRules('git.log')]).issues).toMatchObject([{ code: 'syntax' }]);
});

test('a hundred thousand unknown names are checked quickly', () => {
  const servers = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`server${n}`, { command: 'x' }]));
  const rules = (first: number) => Array.from({ length: 10_000 }, (_, n) => `unknown${first + n}.x`);
  const tools = Array.from({ length: 10 }, (_, n) => [
    `tool${n}`,
    { role_restrictions: { r: { allowed_tools: rules(n * 10_000) } } },
  ]);
  const { issues } = checkConfig([
    { file: 'servers.json', text: JSON.stringify({ mcp_servers: servers }) },
    { file: 'tools.json', text: JSON.stringify({ tools: Object.fromEntries(tools) }) },
  ]);
  expect(new Set(issues.map(({ severity }) => severity))).toEqual(new Set(['warning']));
  expect(issues.at(-1)).toMatchObject({ code: 'too-many-issues', more: 99_000 });
});
