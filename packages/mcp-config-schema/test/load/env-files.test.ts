// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configs use such strings
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { launchesToConfirm } from '../../src/consent.js';
import { parseEnvText } from '../../src/load/env-files.js';
import { checkFiles, loadConfig, watchConfig } from '../../src/load.js';

let base: string;
let project: string;
let userDirectory: string;
const write = (path: string, text: string) => writeFileSync(join(base, path), text);

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'env-files-')));
  project = join(base, 'project');
  userDirectory = join(base, 'user');
  for (const folder of ['project', 'user']) mkdirSync(join(base, folder));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const token = 'mcp_servers: { a: { command: "x ${PLACE:-none}", env: { TOKEN: "${TOKEN}" } } }';
const load = (env: Record<string, string> = {}) => loadConfig({ cwd: project, userDirectory, env });

describe('the .env file beside a config', () => {
  test('fills its variables; the environment is stronger, and a default weaker', async () => {
    write('project/mcp_servers.yaml', token);
    write('project/.env', 'TOKEN=from-file\nPLACE="a b"\nOTHER=x\n');
    expect((await load()).servers).toMatchObject([{ args: ['a b'], env: { TOKEN: 'from-file' } }]);
    expect((await load({ TOKEN: 'given' })).servers).toMatchObject([{ env: { TOKEN: 'given' } }]);
    expect((await load({ TOKEN: '' })).servers).toMatchObject([{ env: { TOKEN: '' } }]);
  });

  test('becomes part of no environment, fills no secret reference, and its values are redacted', async () => {
    write(
      'project/mcp_servers.yaml',
      'mcp_servers: { a: { command: "x ${TOKEN}", env: { S: { secret_ref: "env:TOKEN" } } } }',
    );
    write('project/.env', 'TOKEN=from-the-file\n');
    const { servers, redactor } = await load();
    expect(servers).toMatchObject([{ env: {}, args: ['from-the-file'], sensitive: [['args', 0]] }]);
    expect(process.env.TOKEN).not.toBe('from-the-file');
    expect(redactor.redact('is from-the-file')).not.toContain('from-the-file');
    await expect(loadConfig({ cwd: project, env: {}, secrets: 'resolve' })).rejects.toMatchObject({
      issues: [{ code: 'unresolved-secret' }],
    });
  });

  test('fills only the config of its own directory', async () => {
    write('project/mcp_servers.yaml', 'mcp_servers: { a: { command: "x ${OF_USER}" } }');
    write('user/mcp_servers.yaml', 'mcp_servers: { b: { command: "x ${OF_PROJECT} ${OF_USER}" } }');
    write('project/.env', 'OF_PROJECT=1');
    write('user/.env', 'OF_USER=2');
    const [a, b] = (await load()).servers;
    expect(a?.unsetVariables).toEqual(['OF_USER']);
    expect(b?.unsetVariables).toEqual(['OF_PROJECT']);
  });

  test('is not read for a config without variables', async () => {
    write('project/mcp_servers.yaml', 'mcp_servers: { a: { command: x } }');
    write('project/.env', 'not an env file');
    expect((await load()).issues).toEqual([]);
  });

  test('with an invalid line makes the config invalid, at that line and without its text', async () => {
    write('project/mcp_servers.yaml', token);
    write('project/.env', 'A=1\n  sk-secret-text\nB="open\n');
    const { issues, config, texts } = await checkFiles({ cwd: project, env: {} });
    expect(config).toBeUndefined();
    const found = issues.filter(({ file }) => file === '.env');
    expect(found.map(({ code, line, column }) => `${code} ${line}:${column}`)).toEqual(['syntax 2:3', 'syntax 3:3']);
    expect(JSON.stringify([issues, [...texts]])).not.toContain('sk-secret');
  });

  test.runIf(process.platform !== 'win32')(
    'is not read if others can write it, or if it is a link to another place',
    async () => {
      write('project/mcp_servers.yaml', token);
      write('project/.env', 'TOKEN=1');
      chmodSync(join(project, '.env'), 0o666);
      const open = await load();
      expect(open.issues).toMatchObject([{ code: 'untrusted-file', file: '.env' }, { code: 'unset-variable' }]);
      expect(open.servers).toMatchObject([{ unsetVariables: ['TOKEN'] }]);
      rmSync(join(project, '.env'));
      write('user/.env', 'TOKEN=of-another-place');
      symlinkSync(join(base, 'user/.env'), join(project, '.env'));
      const linked = await load();
      expect(linked.issues).toMatchObject([{ code: 'outside-project', file: '.env' }, { code: 'unset-variable' }]);
    },
  );

  test('is part of the consent to a project: a changed value needs another one, and what runs is shown', async () => {
    write(
      'project/mcp_servers.yaml',
      'mcp_servers: { a: { command: "npx ${PACKAGE}", env: { API_KEY: "${API_TOKEN}" } } }',
    );
    const asked = async (text: string) => {
      write('project/.env', text);
      return launchesToConfirm(await load(), { cwd: project, userDirectory }).get('a');
    };
    const first = await asked('PACKAGE=good\nAPI_TOKEN=abcdefgh');
    expect(first?.lines).toEqual(expect.arrayContaining(['.env     PACKAGE=good', '.env     API_TOKEN']));
    expect((await asked('API_TOKEN=abcdefgh\nPACKAGE=good\nOTHER=1'))?.digest).toBe(first?.digest);
    expect((await asked('PACKAGE=evil\nAPI_TOKEN=abcdefgh'))?.digest).not.toBe(first?.digest);
    expect((await asked('PACKAGE=good\nAPI_TOKEN=other'))?.digest).not.toBe(first?.digest);
  });

  test.each([
    ['a variable that a program reads', { command: 'x', env: { NODE_OPTIONS: '${X}' } }],
    ['a plain variable', { command: 'x', env: { NPM_CONFIG_SCRIPT_SHELL: 'sh ${X}' } }],
    ['a variable that a word runs', { command: 'sh', args: ['-c', 'eval "$A_TOKEN"'], env: { A_TOKEN: '${X}' } }],
    ['a variable of two uses', { command: 'x', env: { A_TOKEN: '${X}', BASH_ENV: '${X}' } }],
    ['the program', { command: '${X}' }],
    ['an argument', { command: 'x', args: ['--y=${X}'] }],
    ['the directory', { command: 'x', cwd: '${X}' }],
    ['the address', { url: 'https://example.com/${X}' }],
    ['a plain header', { url: 'https://example.com/mcp', headers: { Host: '${X}' } }],
  ])('fills %s in sight, with any name and value', async (_, entry) => {
    for (const [name, value] of [
      ['OPTS', '--import=data:text/javascript,run(1)'],
      ['X_TOKEN', '--import=./srv.mjs'],
      ['CMD', 'sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAA'],
    ] as const) {
      write(
        'project/mcp_servers.yaml',
        JSON.stringify({ mcp_servers: { a: entry } }).replaceAll('${X}', `\${${name}}`),
      );
      write('project/.env', `${name}=${value}`);
      const [launch] = launchesToConfirm(await load(), { cwd: project, userDirectory }).values();
      const shown = value.includes('(') ? `"${value}"` : value;
      expect(launch?.lines).toContain(`.env     ${name}=${shown}`);
    }
  });

  test('fills what is for a secret out of sight', async () => {
    const servers = {
      a: { command: 'docker', args: ['run', '-e', 'A_TOKEN', 'x'], env: { A_TOKEN: '${X}' } },
      b: { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer ${X}' } },
    };
    write('project/mcp_servers.yaml', JSON.stringify({ mcp_servers: servers }));
    write('project/.env', 'X=the-value');
    const launches = [...launchesToConfirm(await load(), { cwd: project, userDirectory }).values()];
    expect(launches.map(({ lines }) => lines.filter((line) => line.startsWith('.env')))).toEqual([
      ['.env     X'],
      ['.env     X'],
    ]);
    expect(JSON.stringify(launches)).not.toContain('the-value');
  });

  test('of more than 5,000,000 bytes makes the config invalid, and no value is cut', async () => {
    write('project/mcp_servers.yaml', token);
    const start = 'TOKEN=';
    write('project/.env', start + 'x'.repeat(5_000_000 - start.length));
    expect((await load()).servers).toMatchObject([{ env: { TOKEN: expect.stringMatching(/^x{4999994}$/) } }]);
    for (const character of ['y', '€']) {
      write('project/.env', start + 'x'.repeat(5_000_000 - start.length) + character);
      const { config, issues } = await checkFiles({ cwd: project, env: {} });
      expect(config).toBeUndefined();
      expect(issues.filter(({ file }) => file === '.env')).toMatchObject([
        { code: 'too-large', severity: 'error', limit: 5_000_000, unit: 'bytes' },
      ]);
    }
  });

  test('is watched', async () => {
    write('project/mcp_servers.yaml', token);
    const changes = watchConfig({ cwd: project, userDirectory, env: {}, quietMs: 10, checkIntervalMs: 50 });
    expect((await changes.next()).value?.config?.servers).toMatchObject([{ unsetVariables: ['TOKEN'] }]);
    write('project/.env', 'TOKEN=now');
    expect((await changes.next()).value?.config?.servers).toMatchObject([{ env: { TOKEN: 'now' } }]);
    await changes.return();
  });
});

test.each([
  ["A=1\n# comment\n\nexport B = two # three\nC='#4'", { A: '1', B: 'two', C: '#4' }],
  ['A="one\ntwo"\r\nB=3', { A: 'one\ntwo', B: '3' }],
  ['\uFEFFA=1', { A: '1' }],
  ['', {}],
])('%j has the values that "node --env-file" reads', (text, values) => {
  expect(parseEnvText(text, '.env')).toEqual({ values, issues: [] });
});

test('lists 20 faults of a .env file, and the number of the others', () => {
  const faults = (count: number) => parseEnvText('x\n'.repeat(count), '.env').issues;
  expect(faults(20).map(({ code }) => code)).toEqual(Array(20).fill('syntax'));
  const [more, ...others] = faults(1_000_000).slice(20);
  expect(more).toMatchObject({ code: 'too-many-issues', severity: 'error', limit: 20, more: 999_980, line: 1_000_000 });
  expect(others).toEqual([]);
});
