import { publicName } from '@x/internal/names';
import { textResult, tool } from '@x/test-servers';
import { expect, test } from 'vitest';
import type { RegistryView, ToolSource } from '../../src/index.js';
import { createRegistry } from '../../src/registry.js';
import type { RoleRule } from '../../src/roles.js';
import { createConstantSurface } from '../../src/views/constant-surface.js';

const WRITE = 'mcp__files__write_file';
const QUERY = publicName('my.db', 'query');

/** Counts what its tools did. */
function createCounted(name: string, tools: readonly string[]) {
  const calls: string[] = [];
  const source: ToolSource = {
    name,
    listTools: () => tools.map((each) => tool(each)),
    callTool: async (own) => {
      calls.push(own);
      return textResult(own);
    },
  };
  return { source, calls };
}

async function createServers(rule: Omit<RoleRule, 'role'>) {
  const registry = createRegistry({ roles: [{ role: 'r', ...rule }] });
  const files = createCounted('files', ['read_file', 'write_file']);
  const backup = createCounted('backup', ['write_file', 'list']);
  const database = createCounted('my.db', ['query']);
  for (const { source } of [files, backup, database]) await registry.attach(source).ready;
  return { registry, view: registry.view({ role: 'r' }), files, backup, database };
}

/** Every way in which a view may show a tool or run it. */
async function waysTo(view: RegistryView, name: string): Promise<Readonly<Record<string, boolean>>> {
  const surface = createConstantSurface(view);
  const isCalled = (answer: Promise<{ readonly isError?: boolean | undefined }>) =>
    answer.then(
      ({ isError }) => isError !== true,
      () => false,
    );
  const found = await view.search({ query: '*', limit: 100 });
  return {
    list: view.list().some((each) => each.name === name),
    search: found.tools.some((each) => each.name === name),
    get: view.get(name) !== undefined,
    describe: (await view.describe(name)) !== undefined,
    call: await isCalled(view.call(name)),
    call_mcp_tool: await isCalled(surface.call('call_mcp_tool', { name })),
  };
}

const none = { list: false, search: false, get: false, describe: false, call: false, call_mcp_tool: false };
const all = { list: true, search: true, get: true, describe: true, call: true, call_mcp_tool: true };

const denials = [
  'files.write_file',
  'files/write_file',
  WRITE,
  'write_file',
  'files.write_*',
  'files/write_*',
  'mcp__files__write_*',
  'write_*',
  '*_file',
  '*.write_file',
  '*/write_file',
  'mcp__*__write_file',
  'files.*',
  'files/*',
  'mcp__files__*',
  'mcp__fil*',
  'files',
  'fil*',
  '*',
];

test.each(denials)('a denial spelled %s takes the tool away everywhere', async (denied) => {
  const { registry, view, files } = await createServers({
    allowedTools: ['files', 'backup'],
    deniedTools: [denied],
  });
  expect(await waysTo(view, WRITE)).toEqual(none);
  expect(files.calls).toEqual([]);
  for (const name of [WRITE, 'files.write_file', 'files/write_file']) {
    expect(await registry.explain('r', name)).toMatchObject({ decision: 'denied', reason: 'denied', pattern: denied });
  }
});

test.each(['write_file', 'write_*', '*.write_file', '*/write_file', 'mcp__*__write_file'])(
  'a denial spelled %s, which names no server, takes the tool of every server away',
  async (denied) => {
    const { view, backup } = await createServers({ allowedTools: ['files', 'backup'], deniedTools: [denied] });
    expect(await waysTo(view, 'mcp__backup__write_file')).toEqual(none);
    expect(backup.calls).toEqual([]);
    expect(await waysTo(view, 'mcp__files__read_file')).toEqual(all);
    expect(await waysTo(view, 'mcp__backup__list')).toEqual(all);
  },
);

test.each(['my.db.query', 'my.db/query', QUERY, 'query', 'my.db.*', 'my.db/*', `${QUERY.slice(0, -1)}*`])(
  'a denial spelled %s takes a tool away whose server cannot stand in a public name',
  async (denied) => {
    const { view, database } = await createServers({ allowedTools: ['my.db'], deniedTools: [denied] });
    expect(await waysTo(view, QUERY)).toEqual(none);
    expect(database.calls).toEqual([]);
  },
);

test.each([
  'Files.write_file',
  'files.write_file ',
  'files:write_file',
  'files__write_file',
  'mcp__files_write_file',
  'mcp__backup__write_file',
  'write_fil',
])('a denial spelled %s means another tool, or none', async (denied) => {
  const { view } = await createServers({ allowedTools: ['files', 'backup'], deniedTools: [denied] });
  expect(await waysTo(view, WRITE)).toEqual(all);
});

test.each([
  'files.write_file',
  'files/write_file',
  WRITE,
  'files.write_*',
  'files/write_*',
  'mcp__files__write_*',
  'files.*',
  'files/*',
  'mcp__files__*',
  'files',
])('a permission spelled %s allows the tool, and none of another server', async (allowed) => {
  const { registry, view, files, backup } = await createServers({ allowedTools: [allowed] });
  expect(await waysTo(view, WRITE)).toEqual(all);
  expect(files.calls).toEqual(['write_file', 'write_file']);
  expect(await waysTo(view, 'mcp__backup__write_file')).toEqual(none);
  expect(backup.calls).toEqual([]);
  expect(await registry.explain('r', 'files/write_file')).toMatchObject({ decision: 'allowed', pattern: allowed });
});

test.each(['write_file', 'write_*', '*', '*.write_file', '*/write_file', 'mcp__*__write_file', 'mcp__*', 'fil*'])(
  'a permission spelled %s, which names no server, allows no tool of a server',
  async (allowed) => {
    const { view, files, backup } = await createServers({ allowedTools: [allowed] });
    for (const name of [WRITE, 'mcp__backup__write_file']) expect(await waysTo(view, name)).toEqual(none);
    expect([...files.calls, ...backup.calls]).toEqual([]);
  },
);

test('a tool that is denied by its own name takes the resources of servers that have it, and of no other', async () => {
  const { registry } = await createServers({ allowedTools: ['files', 'my.db'], deniedTools: ['write_file'] });
  const policy = registry.policy({ role: 'r' });
  const isAllowed = (server: string) => policy({ kind: 'resource', server, uri: 'x://y' }).isAllowed;
  expect([isAllowed('files'), isAllowed('my.db')]).toEqual([false, true]);
});

test('explain says which tool is meant by its own name where one server alone has it', async () => {
  const { registry } = await createServers({ allowedTools: ['files'] });
  expect(await registry.explain('r', 'read_file')).toMatchObject({ decision: 'allowed', server: 'files' });
  expect(await registry.explain('r', 'write_file')).toMatchObject({ decision: 'unknown' });
});
