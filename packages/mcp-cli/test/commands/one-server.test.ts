import { join } from 'node:path';
import { publicName } from '@x/internal/names';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { project, type ServerEntry, serversFile } from '../helpers/project.js';
import { runMcpx } from '../helpers/run-mcpx.js';

let here: Awaited<ReturnType<typeof project>>;

const named = (name: string, ...tools: string[]): ServerEntry => ({
  name,
  server: 'named-tools',
  args: ['--label', name, ...tools],
});
/** Of these, `my.db.query` fits both of the first two. */
const servers = [named('my', 'db.query', 'other'), named('my.db', 'query'), named('a__b', 'c'), named('a', 'b__c')];
const long = 'read_the_whole_text_of_one_file_and_give_it_back_line_by_line';
const rules = {
  whole: { allowed_tools: ['my.db'] },
  tool: { allowed_tools: ['my.db.query'] },
  other: { allowed_tools: ['a'] },
  long: { allowed_tools: [`files.${long}`] },
  digest: { allowed_tools: [publicName('files', long)] },
  heir: { allowed_tools: [], inherits: ['digest'] },
};

beforeEach(async () => {
  here = await project({
    'mcp_servers.yaml': serversFile([...servers, named('files', long)]),
    'tools.yaml': JSON.stringify({ tools: { app: { role_restrictions: rules } } }),
  });
});

afterEach(async () => {
  await here[Symbol.asyncDispose]();
  await expectNoLeaks();
});

const run = (...words: string[]) =>
  runMcpx(words, {
    cwd: here.folder,
    env: { PATH: process.env.PATH, MCPX_TRUST: '1' },
    stateDirectory: join(here.folder, 'state'),
  });

describe('mcpx call my.db.query', () => {
  test.each([
    ['no server has run', []],
    ['only the other server has run', ['my']],
    ['both servers have run', ['my', 'my.db']],
  ])('calls the server with the longer name when %s', async (_, known) => {
    for (const server of known) await run('discover', server);
    expect(await run('call', 'my.db.query')).toMatchObject({ exitCode: 0, stdout: 'my.db ran query\n' });
    expect(await run('call', 'my/db.query')).toMatchObject({ exitCode: 0, stdout: 'my ran db.query\n' });
    for (const role of ['whole', 'tool']) {
      expect((await run('call', '--role', role, 'my.db.query')).stdout).toBe('my.db ran query\n');
      expect((await run('call', '--role', role, 'my/db.query')).exitCode).toBe(exitCodes.notFound);
    }
  });
});

test('pins approve my.db.query approves the tool of the server with the longer name', async () => {
  for (const server of ['my', 'my.db']) await run('discover', server);
  await run('pins', 'mode', 'approve');
  expect(JSON.parse((await run('pins', 'approve', 'my.db.query', '--json')).stdout)).toMatchObject({
    approved: [{ server: 'my.db', tool: 'query' }],
  });
  expect((await run('call', 'my/db.query')).stderr).toContain('"mcp__my__db_query_');
});

test('a public name that fits two servers calls the right one', async () => {
  expect((await run('call', 'mcp__a__b__c')).stdout).toBe('a ran b__c\n');
  expect((await run('call', 'a__b.c')).stdout).toBe('a__b ran c\n');
});

test('a public name with a digest starts its possible server if the role may use it', async () => {
  await run('discover', 'files');
  const [tool] = JSON.parse((await run('search', '*', '--server', 'files', '--json')).stdout).tools;
  expect(tool.name).toMatch(/^mcp__files__read_the_whole_text.*_[0-9][0-9a-z]{12}$/);
  const fresh = (...words: string[]) =>
    runMcpx(words, { cwd: here.folder, env: { PATH: process.env.PATH, MCPX_TRUST: '1' } });
  expect((await fresh('call', tool.name)).stdout).toBe(`files ran ${long}\n`);
  for (const role of ['long', 'digest', 'heir']) {
    expect((await fresh('call', '--role', role, tool.name)).stdout).toBe(`files ran ${long}\n`);
  }
  const refused = await fresh('call', '--role', 'other', tool.name);
  expect(refused.exitCode).toBe(exitCodes.notFound);
  expect(refused.stderr).toBe(`error: There is no tool named "${tool.name}".\nRun "mcpx search" to find tools.\n`);
});

test('validate, roles and roles explain name the entry that fits two servers', async () => {
  const before = await run('validate');
  expect(before.stderr).toMatch(
    /warning ambiguous-rule The role "tool" allows "my\.db\.query" at .*means "my\.db" alone/,
  );
  await run('discover', 'my');
  await run('discover', 'my.db');
  const { issues } = JSON.parse((await run('validate', '--json', '--strict')).stdout);
  // The server "my" has listed its tools, and none of them is "db".
  expect(issues).toMatchObject([
    { code: 'colliding-names' },
    { code: 'ambiguous-rule', rule: 'my.db.query', servers: ['my.db', 'my'], line: 1 },
  ]);
  expect((await run('roles')).stderr).toMatch(/^warning: The role "tool" allows "my\.db\.query".*\n$/);
  expect((await run('roles', 'explain', 'tool', 'my/db.query')).stdout).toContain('means "my.db" alone');
  expect((await run('roles', 'explain', 'tool', 'my.db.query')).stdout).toContain('may use "query" of server "my.db"');
});
