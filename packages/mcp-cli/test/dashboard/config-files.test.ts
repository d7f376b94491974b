import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRedactor } from '@x/mcp-config-schema';
import { afterEach, expect, test, vi } from 'vitest';
import { configFilesView } from '../../src/dashboard/config-files.js';
import { project } from '../helpers/project.js';
import { stubUserConfig, userServers } from '../helpers/user-config.js';

afterEach(() => vi.unstubAllEnvs());

const token = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';

async function viewOf(files: Readonly<Record<string, string>>, words?: readonly string[], env = {}) {
  const stage = await project(files);
  stubUserConfig(join(stage.folder, 'home'));
  const stack = { redactor: createRedactor(), config: { servers: [] } as never };
  const io = { cwd: stage.folder, env: { HOME: join(stage.folder, 'home'), ...env } };
  const view = await configFilesView({ stack, files: words, io });
  return { view, path: (name: string) => join(stage.folder, name), [Symbol.asyncDispose]: stage[Symbol.asyncDispose] };
}

test('shows files of all layers with their text and each issue at its place, with its remedy', async () => {
  await using shown = await viewOf({
    'mcp_servers.yaml': 'mcp_servers:\n  files:\n    command: files-mcp\n    auto_strat: true\n',
    'tools.yaml': 'tools:\n  reviewer: { mcp_tools: { required: [files] } }\n',
    [userServers]: 'mcp_servers:\n  notes: { command: notes-mcp, priority: 1000 }\n',
  });
  const { files, problem } = shown.view;
  expect(problem).toBeUndefined();
  expect(files.map(({ path, layer, kind }) => [path, layer, kind])).toEqual([
    [shown.path('mcp_servers.yaml'), 'project', 'config'],
    [shown.path('tools.yaml'), 'project', 'config'],
    [shown.path(userServers), 'user', 'config'],
  ]);
  const [servers, , own] = files;
  expect(servers?.lines[3]).toBe('    auto_strat: true');
  expect(servers?.issues).toMatchObject([
    { severity: 'error', code: 'unknown-key', line: 4, column: 5, hint: expect.stringContaining('auto_start') },
  ]);
  expect(own?.issues).toMatchObject([{ code: 'invalid-value', line: 2, column: expect.any(Number) }]);
  expect(own?.lines[1]?.slice((own.issues[0]?.column ?? 0) - 1)).toBe('1000 }');
});

test('shows no secret of a file, also where a server lacks variables', async () => {
  const json = {
    mcpServers: {
      git: {
        command: 'git-mcp',
        env: { GITHUB_TOKEN: token, OTHER: `$${'{NOT_SET}'}`, MODE: `$${'{MODE}'}`, WORD: 'sesame-open' },
      },
    },
  };
  await using shown = await viewOf({ 'own.json': JSON.stringify(json, null, 2) }, ['own.json'], {
    MODE: 'sesame-open',
  });
  const [file] = shown.view.files;
  expect(file).toMatchObject({ layer: 'explicit', servers: ['git'] });
  const text = JSON.stringify(shown.view);
  expect(text).not.toContain(token);
  expect(text).not.toContain('sesame-open');
  expect(file?.lines).toContain('        "GITHUB_TOKEN": "***",');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the file
  expect(file?.lines).toContain('        "OTHER": "${NOT_SET}",');
  expect(file?.issues.map(({ code }) => code)).toContain('inline-secret');
  expect(shown.view.unset).toEqual([{ server: 'git', variables: ['NOT_SET'] }]);
});

test('shows the servers of host apps by name alone when there is no config', async () => {
  const stage = await project({});
  await using _stage = stage;
  const home = join(stage.folder, 'home');
  await mkdir(join(home, '.cursor'), { recursive: true });
  const servers = { git: { command: 'git-mcp', env: { GITHUB_TOKEN: token, PLAIN: 'as-it-is' } } };
  await writeFile(join(home, '.cursor', 'mcp.json'), JSON.stringify({ mcpServers: servers }));
  stubUserConfig(home);
  const io = { cwd: stage.folder, env: { HOME: home } };
  const stack = { redactor: createRedactor(), config: { servers: [] } as never };
  const { files } = await configFilesView({ stack, files: ['host:cursor'], io });
  expect(files).toMatchObject([
    { path: join(home, '.cursor', 'mcp.json'), kind: 'host-app', servers: ['git'], lines: [] },
  ]);
  expect(JSON.stringify(files)).not.toMatch(/as-it-is|ghp_/);
});

test('says why there is nothing to show', async () => {
  await using shown = await viewOf({}, ['gone.yaml']);
  expect(shown.view).toEqual({ problem: expect.stringContaining('gone.yaml'), files: [], moreIssues: 0, unset: [] });
});
