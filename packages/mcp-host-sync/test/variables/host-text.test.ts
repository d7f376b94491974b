import { describe, expect, test } from 'vitest';
import type { HostServer } from '../../src/index.js';
import { codesOf, read, written } from '../helpers/round-trip.js';

function env(host: string, value: string, writeSecrets?: Record<string, string>) {
  const server: HostServer = { name: 's', transport: 'stdio', command: 'x', env: { KEY: value } };
  return written(host, server, writeSecrets === undefined ? {} : { writeSecrets });
}

describe('a variable is written in the syntax of the host', () => {
  test.each([
    ['claude-code-project', `\${TOKEN}`, { env: { KEY: `\${TOKEN}` } }],
    ['claude-code-project', `\${env:TOKEN}`, { env: { KEY: `\${TOKEN}` } }],
    ['claude-code-project', `a \${TOKEN:-x y} b`, { env: { KEY: `a \${TOKEN:-x y} b` } }],
    ['factory-user', `\${TOKEN:-}`, { env: { KEY: `\${TOKEN:-}` } }],
    ['kiro-user', `\${TOKEN}`, { env: { KEY: `\${TOKEN}` } }],
    ['cursor-user', `\${TOKEN}`, { env: { KEY: `\${env:TOKEN}` } }],
    ['vscode-user', `a\${TOKEN}`, { env: { KEY: `a\${env:TOKEN}` } }],
    ['windsurf-user', `\${TOKEN}`, { env: { KEY: `\${env:TOKEN}` } }],
    ['cline-user', `\${TOKEN}`, { env: { KEY: `\${env:TOKEN}` } }],
    ['roo-user', `\${TOKEN}`, { env: { KEY: `\${env:TOKEN}` } }],
    ['amazonq-cli-user', `\${TOKEN}`, { env: { KEY: `\${env:TOKEN}` } }],
    ['opencode-user', `\${TOKEN}`, { environment: { KEY: '{env:TOKEN}' } }],
    ['kilo-user', `a\${TOKEN}b`, { environment: { KEY: 'a{env:TOKEN}b' } }],
    ['gemini-cli-user', `\${TOKEN:-x}`, { env: { KEY: `\${TOKEN:-x}` } }],
    ['qwen-code-user', `\${TOKEN}`, { env: { KEY: `\${TOKEN}` } }],
    ['copilot-cli-user', `\${TOKEN}`, { env: { KEY: `\${TOKEN}` } }],
    ['crush-user', `\${TOKEN}`, { env: { KEY: `\${TOKEN}` } }],
    ['continue-user', `\${TOKEN}`, { env: { KEY: `\${{ secrets.TOKEN }}` } }],
    ['continue-project', `\${TOKEN}`, { env: { KEY: `\${TOKEN}` } }],
    ['mcporter-user', `\${TOKEN}`, { env: { KEY: `\${TOKEN}` } }],
    ['codex-user', `\${KEY}`, { env_vars: ['KEY'] }],
    ['goose-user', `\${KEY}`, { env_keys: ['KEY'] }],
  ])('%s: %j', (host, value, fields) => {
    expect(env(host, value).entry).toMatchObject(fields);
  });
});

describe('a variable without a syntax in the host is an issue, and is not written', () => {
  test.each([
    ['claude-desktop', `\${TOKEN}`, 'variables-not-supported'],
    ['zed-user', `\${TOKEN}`, 'variables-not-supported'],
    ['xcode-claude-agent', `\${TOKEN}`, 'variables-not-supported'],
    ['amp-user', `\${TOKEN}`, 'variables-not-supported'],
    ['cursor-user', `\${TOKEN:-x}`, 'variables-not-supported'],
    ['codex-user', `\${OTHER}`, 'variables-not-supported'],
    ['zed-user', `\${not a name}`, 'malformed-variable'],
  ])('%s: %j', (host, value, code) => {
    const { entry, issues } = env(host, value);
    expect(entry).toBeUndefined();
    expect(codesOf(issues)).toEqual([code]);
  });

  test.each(['zed-user', 'zed-project'])('%s: names the gateway, which works for each host', (host) => {
    expect(env(host, `\${TOKEN}`).issues[0]?.hint).toContain('mcpx sync --gateway');
  });

  test('only the fields that the host expands count', () => {
    const server: HostServer = { name: 's', transport: 'stdio', command: 'x', args: [`\${TOKEN}`] };
    expect(codesOf(written('copilot-cli-user', server).issues)).toEqual(['variables-not-supported']);
    expect(codesOf(written('claude-code-project', server).issues)).toEqual([]);
  });
});

describe('values of variables, where allowed', () => {
  test('are written to user files', () => {
    const { entry, secrets } = env('zed-user', `a \${TOKEN}`, { TOKEN: 't1' });
    expect(entry).toMatchObject({ env: { KEY: 'a t1' } });
    expect(secrets).toEqual(['t1']);
  });

  test('are never written to project files', () => {
    expect(codesOf(env('zed-project', `\${TOKEN}`, { TOKEN: 't1' }).issues)).toEqual(['variables-not-supported']);
  });

  test('are replaced by a reference if the host supports one', () => {
    const { entry, secrets } = env('cursor-user', `\${TOKEN}`, { TOKEN: 't1' });
    expect(entry).toMatchObject({ env: { KEY: `\${env:TOKEN}` } });
    expect(secrets).toEqual([]);
  });

  test('fall back to the default, which is not a secret', () => {
    const { entry, secrets } = env('zed-user', `\${TOKEN:-none}`, { TOKEN: '' });
    expect(entry).toMatchObject({ env: { KEY: 'none' } });
    expect(secrets).toEqual([]);
  });

  test('are not expanded again', () => {
    const { entry } = env('zed-user', `\${TOKEN}`, { TOKEN: `\${TOKEN} \${OTHER}`, OTHER: 'x' });
    expect(entry).toMatchObject({ env: { KEY: `\${TOKEN} \${OTHER}` } });
  });

  test('must be set', () => {
    expect(codesOf(env('zed-user', `\${toString}`, {}).issues)).toEqual(['unset-variable']);
  });
});

describe('a literal that the host would replace is rejected', () => {
  test.each([
    ['claude-code-project', `$\${HOME}`],
    ['cursor-user', `$\${workspaceFolder}`],
    ['opencode-user', '{env:HOME}'],
    ['opencode-user', '{file:/x}'],
    ['gemini-cli-user', 'pa$word'],
    ['gemini-cli-user', '$(id)'],
    ['crush-user', 'costs 5$'],
    ['crush-user', '$(rm -rf .)'],
    ['continue-user', `$\${{ secrets.X }}`],
    ['amp-user', `$\${HOME}`],
  ])('%s: %j', (host, value) => {
    const { entry, issues } = env(host, value);
    expect(entry).toBeUndefined();
    expect(codesOf(issues)).toEqual(['looks-like-variable']);
  });

  test.each([
    ['claude-code-project', 'pa$word'],
    ['zed-user', `$\${HOME}`],
    ['claude-desktop', '$(id)'],
    ['gemini-cli-user', '^a+$'],
  ])('%s: %j is accepted', (host, value) => {
    const { entry, issues } = env(host, value);
    expect(issues).toEqual([]);
    expect(read(host, 's', entry).server).toMatchObject({ env: { KEY: value } });
  });
});

test('an expression of one host only is read as literal text, with a warning', () => {
  const { server, issues } = read('vscode-user', 's', { type: 'stdio', command: 'x', env: { KEY: `\${input:key}` } });
  expect(server).toMatchObject({ env: { KEY: `$\${input:key}` } });
  expect(codesOf(issues)).toEqual(['host-variable']);
});

test('both spellings of shells are read', () => {
  const { server, issues } = read('gemini-cli-user', 's', { command: 'x', args: [`$A/\${B}`, `\${C:-d}`] });
  expect(server).toMatchObject({ args: [`\${A}/\${B}`, `\${C:-d}`] });
  expect(issues).toEqual([]);
});
