// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the tests use such strings
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatIssue } from '../../src/index.js';
import { checkFiles, loadConfig } from '../../src/load.js';
import { configFolder } from '../helpers/config-folder.js';

let project: string;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'mcp-config-'));
});

afterEach(() => {
  rmSync(project, { recursive: true, force: true });
});

function write(file: string, text: string | Uint8Array): string {
  const path = join(project, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const one = 'mcp_servers:\n  one: { command: one-mcp }\n';
const tools = 'tools:\n  t:\n    mcp_tools: { required: [one] }\n';
const host = '{ "mcpServers": { "one": { "command": "one-mcp" } } }';

describe('without files', () => {
  test.each([
    ['mcp_servers.yaml', one],
    ['mcp_servers.yml', one],
    ['config/mcp_servers.yaml', one],
    ['config/mcp_servers.yml', one],
    ['.mcp.json', host],
    ['mcp-servers.json', host],
  ])('%s is found from any directory below it', async (file, text) => {
    write(file, text);
    write('src/deep/er/x.txt', '');
    const config = await loadConfig({ cwd: join(project, 'src/deep/er') });
    expect(config.files).toEqual([join(project, file)]);
    expect(config.servers).toMatchObject([{ name: 'one', cwd: project }]);
  });

  test('the nearest directory counts, and mcp_servers.yaml comes before files of host apps', async () => {
    write('mcp_servers.yaml', 'mcp_servers: { far: { command: x } }');
    write('app/mcp_servers.yaml', 'mcp_servers: { near: { command: x } }');
    write('app/.mcp.json', host);
    const config = await loadConfig({ cwd: join(project, 'app') });
    expect(config.servers.map((server) => server.name)).toEqual(['near']);
  });

  test.each([
    ['mcp_servers.yaml', 'tools.yaml'],
    ['mcp_servers.yaml', 'config/tools.yaml'],
    ['config/mcp_servers.yaml', 'config/tools.yaml'],
    ['config/mcp_servers.yaml', 'tools.yml'],
  ])('with %s, %s is read too', async (servers, file) => {
    write(servers, one);
    write(file, tools);
    const config = await loadConfig({ cwd: project });
    expect(config.files).toEqual([join(servers), join(file)]);
    expect(config.tools).toHaveLength(1);
  });

  test('of two tools files, the one next to the servers is read', async () => {
    write('config/mcp_servers.yaml', one);
    write('config/tools.yaml', tools);
    write('tools.yaml', 'tools: { other: {} }');
    expect((await loadConfig({ cwd: project })).tools.map((tool) => tool.name)).toEqual(['t']);
  });

  test.each(['tools.yaml', 'tools.yml', 'config/tools.yaml', 'config/tools.yml'])(
    '%s alone is found from any directory below it, and in a named one',
    async (file) => {
      write(file, tools);
      write('src/x.txt', '');
      const found = await loadConfig({ cwd: join(project, 'src'), layers: ['project'] });
      expect(found).toMatchObject({ files: [join(project, file)], servers: [], tools: [{ name: 't' }] });
      for (const directory of ['.', dirname(file)]) {
        expect((await loadConfig({ cwd: project, files: [directory] })).files).toEqual([join(file)]);
      }
    },
  );

  test('servers further up come before tools alone', async () => {
    write('mcp_servers.yaml', one);
    write('app/tools.yaml', tools);
    const config = await loadConfig({ cwd: join(project, 'app') });
    expect(config).toMatchObject({ servers: [{ name: 'one' }], tools: [] });
  });

  test('a tools.yaml of another program is left alone, unless its directory is named', async () => {
    write('tools.yaml', 'sources: { db: { kind: postgres } }\ntools: { query: { kind: postgres-sql } }\n');
    write('user/mcp_servers.yaml', one);
    const options = { cwd: project, userDirectory: join(project, 'user') };
    expect((await loadConfig(options)).files).toEqual([join('user', 'mcp_servers.yaml')]);
    await expect(loadConfig({ cwd: project, files: ['.'] })).rejects.toMatchObject({ code: 'invalid-config' });
  });

  test('tools of a project use the servers of the user', async () => {
    write('app/tools.yaml', tools);
    write('user/mcp_servers.yaml', one);
    const config = await loadConfig({ cwd: join(project, 'app'), userDirectory: join(project, 'user') });
    expect(config).toMatchObject({ servers: [{ name: 'one', layer: 'user' }], tools: [{ name: 't' }], issues: [] });
  });

  test('if nothing is found, the message lists each name', async () => {
    const names = [
      ...['mcp_servers.yaml', 'mcp_servers.yml', 'config/mcp_servers.yaml', 'config/mcp_servers.yml', '.mcp.json'],
      ...['mcp-servers.json', 'tools.yaml', 'tools.yml', 'config/tools.yaml', 'config/tools.yml'],
    ];
    await expect(loadConfig({ cwd: project, files: ['.'] })).rejects.toMatchObject({
      code: 'config-not-found',
      message: expect.stringContaining(`Looked for ${names.join(', ')}.`),
    });
  });

  test('a directory or broken link with the name is skipped', async () => {
    mkdirSync(join(project, 'mcp_servers.yaml'));
    symlinkSync(join(project, 'nowhere'), join(project, 'mcp_servers.yml'));
    write('.mcp.json', host);
    expect((await loadConfig({ cwd: project })).files).toEqual(['.mcp.json']);
  });
});

describe('with files', () => {
  test('they are read together, relative to cwd, each once', async () => {
    write('a/mcp_servers.yaml', one);
    write('b/servers.json', '{ "mcpServers": { "two": { "command": "two" } } }');
    const files = ['a/mcp_servers.yaml', './b/servers.json', join(project, 'a/mcp_servers.yaml')];
    const config = await loadConfig({ cwd: project, files });
    expect(config.servers).toMatchObject([
      { name: 'one', cwd: join(project, 'a'), source: { file: join('a', 'mcp_servers.yaml') } },
      { name: 'two', cwd: join(project, 'b') },
    ]);
  });

  test('a directory is searched, without its parents', async () => {
    write('mcp_servers.yaml', one);
    write('a/config/mcp_servers.yaml', 'mcp_servers: { two: { command: x } }');
    mkdirSync(join(project, 'empty'));
    expect((await loadConfig({ cwd: project, files: ['a'] })).servers.map((server) => server.name)).toEqual(['two']);
    await expect(loadConfig({ cwd: project, files: ['empty'] })).rejects.toMatchObject({
      code: 'config-not-found',
      message: expect.stringContaining(`There is no MCP configuration in ${join(project, 'empty')}.`),
    });
  });
});

describe('directories', () => {
  test('do not depend on the current directory', async () => {
    write(
      'config/mcp_servers.yaml',
      `mcp_servers:
  plain: { command: ./bin/server }
  inside: { command: x, cwd: work }
  outside: { command: x, cwd: "\${ELSEWHERE}" }
  remote: { url: "https://example.com/mcp" }
`,
    );
    const env = { ELSEWHERE: tmpdir() };
    for (const cwd of [project, join(project, 'config')]) {
      const config = await loadConfig({ cwd, env });
      expect(config.servers.map((server) => ('cwd' in server ? server.cwd : undefined))).toEqual([
        project,
        join(project, 'work'),
        tmpdir(),
        undefined,
      ]);
      expect(config.settings.logDirectory).toBe(join(project, 'logs', 'mcp_servers'));
    }
  });

  test('for logs are relative to their file', async () => {
    write('a/mcp.json', host);
    write('b/mcp_servers.yaml', 'mcp_servers: {}\nmcp_settings: { log_directory: out }\n');
    const config = await loadConfig({ cwd: project, files: ['a/mcp.json', 'b'] });
    expect(config.settings.logDirectory).toBe(join(project, 'b', 'out'));
  });

  test("VS Code's own folder is not the project", async () => {
    write('.vscode/mcp.json', '{ "servers": { "one": { "command": "x" } } }');
    expect((await loadConfig({ cwd: project, files: ['.vscode/mcp.json'] })).servers).toMatchObject([{ cwd: project }]);
  });
});

describe('variables', () => {
  test('come only from env if it is given', async () => {
    write('mcp_servers.yaml', `mcp_servers: { one: { command: "x \${MCP_CONFIG}" } }`);
    expect((await loadConfig({ cwd: project, env: { MCP_CONFIG: 'y' } })).servers).toMatchObject([{ args: ['y'] }]);
    expect((await loadConfig({ cwd: project, env: {} })).servers).toMatchObject([{ unsetVariables: ['MCP_CONFIG'] }]);
    const strict = loadConfig({ cwd: project, env: {}, unsetVariables: 'error' });
    await expect(strict).rejects.toMatchObject({ code: 'invalid-config' });
    expect((await checkFiles({ cwd: project, env: {} })).issues).toMatchObject([{ severity: 'error' }]);
  });

  test('come from the process without env', async () => {
    const [name = ''] = Object.keys(process.env).filter((key) => /^[A-Z_]+$/.test(key) && process.env[key] !== '');
    write('mcp_servers.yaml', `mcp_servers: { one: { command: [x, "\${${name}}"] } }`);
    expect((await loadConfig({ cwd: project })).servers).toMatchObject([{ args: [process.env[name]] }]);
  });
});

describe('values of variables', () => {
  const text = 'mcp_servers:\n  one: { command: "x ${KEY} ${HOME}", env: { TOKEN: "${TOKEN}", PLAIN: x } }\n';
  const env = { KEY: 'open-sesame', TOKEN: 'ghp_sesame', HOME: '/home/ada' };

  test('are known to the redactor of a configuration, and in none of its texts', async () => {
    write('mcp_servers.yaml', text);
    const { redactor, ...config } = await loadConfig({ cwd: project, env });
    expect(JSON.stringify(config)).toContain('sesame');
    expect(JSON.stringify(redactor.redactData(config))).not.toContain('sesame');
    expect(JSON.stringify(redactor)).toBe('{}');
    expect(config.servers[0]?.sensitive).toEqual([
      ['args', 0],
      ['env', 'TOKEN'],
    ]);
  });

  test('are not expanded when variables are kept, and no directory is set', async () => {
    write('mcp_servers.yaml', text);
    const options = { cwd: project, env, variables: 'keep' } as const;
    for (const config of [await loadConfig(options), (await checkFiles(options)).config]) {
      expect(config?.servers).toMatchObject([{ args: ['${KEY}', '${HOME}'], env: { TOKEN: '${TOKEN}', PLAIN: 'x' } }]);
      expect(config?.servers[0]).not.toHaveProperty('cwd');
      expect(config?.servers[0]?.sensitive).toBeUndefined();
      expect(JSON.stringify(config?.servers)).not.toContain('sesame');
    }
    expect((await loadConfig({ ...options, env: {} })).servers).toHaveLength(1);
  });

  test('in other files are known to the redactor, too', async () => {
    write('mcp_servers.yaml', text);
    const { redactor } = await loadConfig({ cwd: project, env, variables: 'keep' });
    expect(redactor.redact('a ghp_sesame b')).toBe('a *** b');
  });

  test('at the start of a directory are kept, and other directories become absolute', async () => {
    write('mcp_servers.yaml', 'mcp_servers:\n  a: { command: x, cwd: "${DIR}/a" }\n  b: { command: x, cwd: sub }\n');
    const { servers } = await loadConfig({ cwd: project, env: {}, variables: 'keep' });
    expect(servers).toMatchObject([{ cwd: '${DIR}/a' }, { cwd: join(project, 'sub') }]);
  });

  test('include literal secrets of a file', async () => {
    write('mcp_servers.yaml', 'mcp_servers:\n  a: { command: x, env: { TOKEN: open-sesame } }\n');
    const { redactor, servers } = await loadConfig({ cwd: project, env: {} });
    expect(redactor.redactData(servers)).toMatchObject([{ env: { TOKEN: '***' } }]);
  });
});

describe('problems', () => {
  test('in a file are issues with the text to show', async () => {
    write('mcp_servers.yaml', 'mcp_servers:\n  one: { comand: x }\n');
    const { issues, config, texts } = await checkFiles({ cwd: project });
    expect(config).toBeUndefined();
    expect(issues.map((issue) => formatIssue(issue, { text: texts.get(issue.file ?? '') }))).toEqual([
      [
        'mcp_servers.yaml:2:10 error unknown-key "comand" is not a key of mcp_servers.one',
        '  1 | mcp_servers:',
        '> 2 |   one: { comand: x }',
        '    |          ^',
        'hint: did you mean "command"?',
      ].join('\n'),
    ]);
    await expect(loadConfig({ cwd: project })).rejects.toMatchObject({ code: 'invalid-config', issues });
  });

  test('without configuration, the error has the searched paths and an example', async () => {
    const error = await loadConfig({ cwd: project }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'config-not-found', issues: [] });
    const { message } = error as Error;
    expect(message).toContain(`There is no MCP configuration in ${project} or any directory above it.`);
    expect(message).toContain('mcp_servers.yaml, mcp_servers.yml, ');

    write('mcp_servers.yaml', message.slice(message.indexOf('mcp_servers:')));
    expect((await loadConfig({ cwd: project })).servers).toMatchObject([{ name: 'everything', autoStart: true }]);
  });

  test('a missing file', async () => {
    await expect(loadConfig({ cwd: project, files: ['nope.yaml'] })).rejects.toMatchObject({
      code: 'config-not-found',
      message: `${join(project, 'nope.yaml')} does not exist`,
    });
  });

  test('a cwd that is not a directory', async () => {
    const file = write('mcp_servers.yaml', one);
    for (const cwd of [file, join(project, 'nope')]) {
      await expect(loadConfig({ cwd })).rejects.toMatchObject({
        code: 'unreadable',
        message: expect.stringContaining(cwd),
      });
    }
  });

  test.runIf(process.platform === 'linux')('something other than a file, such as a device', async () => {
    await expect(loadConfig({ cwd: project, files: ['/dev/zero'] })).rejects.toMatchObject({ code: 'unreadable' });
  });

  test('an unreadable file', async () => {
    const file = write('mcp_servers.yaml', one);
    chmodSync(file, 0o000);
    const canReadAnything = process.getuid?.() === 0 || process.platform === 'win32';
    const loading = loadConfig({ cwd: project });
    if (canReadAnything) await expect(loading).resolves.toBeDefined();
    else await expect(loading).rejects.toMatchObject({ code: 'unreadable' });
  });

  test('a file that is not UTF-8', async () => {
    write('mcp_servers.yaml', Buffer.from('\uFEFFmcp_servers: {}', 'utf16le'));
    await expect(loadConfig({ cwd: project })).rejects.toMatchObject({
      code: 'unreadable',
      message: expect.stringContaining('not UTF-8'),
    });
  });

  test('a file beyond the limit is an issue, and is not read to its end', async () => {
    write('mcp_servers.yaml', `# ${'ü'.repeat(10_000_000)}`);
    const { issues, texts } = await checkFiles({ cwd: project });
    expect(issues).toMatchObject([{ code: 'too-large', limit: 5_000_000, unit: 'bytes' }]);
    expect(texts.get('mcp_servers.yaml')?.length).toBeLessThan(5_000_000);
  });

  test('in the call are TypeErrors', async () => {
    await expect(loadConfig({ files: [] })).rejects.toThrow(TypeError);
    await expect(loadConfig({ files: 'a' } as never)).rejects.toThrow(TypeError);
    await expect(loadConfig({ cwd: 5 } as never)).rejects.toThrow(TypeError);
  });
});

test('unsaved texts take the place of the content of found files, and the files stay as they are', async () => {
  await using here = await configFolder({ 'mcp_servers.yaml': 'mcp_servers: { saved: { command: x } }\n' });
  const options = { cwd: here.path, env: {}, layers: ['project'] } as const;
  const path = join(here.path, 'mcp_servers.yaml');
  const unsaved = { [path]: 'mcp_servers: { edited: { command: x } }\n', [join(here.path, 'other.yaml')]: '{' };
  expect((await loadConfig({ ...options, unsaved })).servers.map(({ name }) => name)).toEqual(['edited']);
  expect((await loadConfig(options)).servers.map(({ name }) => name)).toEqual(['saved']);
  const broken = { ...options, unsaved: { [path]: 'mcp_servers: [' } };
  expect((await checkFiles(broken)).issues[0]).toMatchObject({ code: 'syntax', file: 'mcp_servers.yaml' });
  await expect(loadConfig({ ...options, unsaved: { 'mcp_servers.yaml': '' } })).rejects.toThrow('by absolute path');
});
