import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { unusedFiles } from '../../src/config/unused-files.js';
import { project } from '../helpers/project.js';
import { userWorld } from '../helpers/user-world.js';

const servers = 'mcp_servers: { a: { command: a-mcp } }\n';
const rules = 'tools: { helper: { role_restrictions: { review: { allowed_tools: ["a.*"] } } } }\n';

test.each<[string, Readonly<Record<string, string>>, readonly string[], readonly string[]]>([
  [
    'rules beside servers of another name',
    { 'ours.yaml': servers, 'tools.yaml': rules },
    ['ours.yaml'],
    ['tools.yaml'],
  ],
  ['servers beside rules', { 'mcp_servers.yaml': servers, 'tools.yaml': rules }, ['tools.yaml'], ['mcp_servers.yaml']],
  [
    'rules in config/',
    { 'config/ours.yml': servers, 'config/tools.yml': rules },
    ['config/ours.yml'],
    ['config/tools.yml'],
  ],
  ['no file: both are named', { 'ours.yaml': servers, 'tools.yaml': rules }, ['ours.yaml', 'tools.yaml'], []],
  ['no file: a search would find it', { 'mcp_servers.yaml': servers, 'tools.yaml': rules }, ['mcp_servers.yaml'], []],
  ['no file: it has its own rules', { 'ours.yaml': servers + rules, 'tools.yaml': rules }, ['ours.yaml'], []],
  [
    'no file: the tools are of another program',
    { 'ours.yaml': servers, 'tools.yaml': 'tools: [x]' },
    ['ours.yaml'],
    [],
  ],
  ['no file: a directory is named', { 'sub/mcp_servers.yaml': servers, 'tools.yaml': rules }, ['sub'], []],
  ['no file: nothing is named', { 'ours.yaml': servers, 'tools.yaml': rules }, [], []],
])('%s', async (_case, files, words, unused) => {
  await using here = await project(files);
  await mkdir(join(here.folder, 'sub'), { recursive: true });
  expect(unusedFiles(words, { cwd: here.folder })).toEqual(unused.map((file) => join(here.folder, file)));
});

test('commands that show a config warn of a file that it leaves out', async () => {
  await using user = await userWorld({ 'project/ours.yaml': servers, 'project/tools.yaml': rules });
  for (const command of ['validate', 'list', 'roles']) {
    const { stderr } = await user.run([command, '-c', 'ours.yaml']);
    expect(stderr).toContain(
      'warning: tools.yaml is not used, because --config names another file. To use both, add -c tools.yaml\n',
    );
    expect((await user.run([command, '-c', 'ours.yaml', '-c', 'tools.yaml'])).stderr).not.toContain('is not used');
  }
});
