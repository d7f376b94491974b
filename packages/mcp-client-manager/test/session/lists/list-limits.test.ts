import { expect, test } from 'vitest';
import { listPages } from '../../../src/session/lists/list-pages.js';
import { listTools } from '../../../src/session/lists/list-tools.js';
import { listKinds } from '../../../src/session/lists/server-lists.js';
import { temporaryDirectory } from '../../helpers/processes.js';
import { failureOf, fixtureSpec, managerWith, textOf } from '../../helpers/servers.js';

const { signal } = new AbortController();
const inputSchema = { type: 'object' };

test('drops only the tool that is nested too deep or too large', async () => {
  const stateDirectory = await temporaryDirectory();
  await using manager = managerWith({ stateDirectory }, fixtureSpec('odd-server.mjs', ['deep-tools']));
  const server = manager.server('fixture');
  await server.start();
  const names = ['act', 'hang', 'fail', 'wrong'];
  expect(server.listTools().map(({ name }) => name)).toEqual(names);
  expect(server.status.catalogProblems).toEqual([
    'the entry "deep" of "tools" was left out: it has more than 256 levels',
    'the entry "large" of "tools" was left out: it has more than 1048576 bytes',
  ]);
  expect((await server.discoverTools()).map(({ name }) => name)).toEqual(names);
  await server.restart();
  expect(textOf(await server.callTool('act'))).toBe('acted');
});

test('drops a capability that is too deep, and refuses a handshake that cannot be parsed', async () => {
  const stateDirectory = await temporaryDirectory();
  const spec = (levels: string) => ({ ...fixtureSpec('odd-server.mjs', ['deep-capabilities', levels]), name: levels });
  await using manager = managerWith({ stateDirectory }, spec('300'), spec('10000'));
  const server = manager.server('300');
  expect(textOf(await server.callTool('act'))).toBe('acted');
  expect(Object.keys(server.session?.capabilities ?? {}).toSorted()).toEqual(['prompts', 'resources', 'tools']);
  expect(await failureOf(manager.server('10000').start())).toMatchObject({ cause: { code: 'handshake-refused' } });
});

test('throws for arguments that are too deep to be written', async () => {
  await using manager = managerWith({}, fixtureSpec('odd-server.mjs', ['plain']));
  const server = manager.server('fixture');
  let deep: object = {};
  for (let level = 0; level < 100_000; level += 1) deep = { deep };
  expect(await failureOf(server.callTool('act', { deep }))).toBeInstanceOf(TypeError);
  expect(await failureOf(server.request('vendor/any', { deep }))).toBeInstanceOf(TypeError);
  expect(textOf(await server.callTool('act'))).toBe('acted');
});

test.each([
  ['that are none', () => ({})],
  ['with the same name', () => ({ name: 'same', inputSchema })],
])('a list of entries %s ends at the same limit as one of valid entries', async (_, entry) => {
  let pages = 0;
  const listing = await listTools(
    async () => {
      pages += 1;
      return { tools: Array.from({ length: 4_000 }, entry), nextCursor: `${pages}` };
    },
    { signal },
  );
  expect(pages).toBe(3);
  expect(listing.completeness).toBe('partial');
  expect(listing.problems).toHaveLength(101);
  expect(listing.problems.at(-1)).toMatch(/^and 9\d{3} more problems like these$/);
});

test('a list ends at 32 MiB of kept entries', async () => {
  const text = 'x'.repeat(1_000_000);
  let resources = 0;
  const fetchPage = async (): Promise<unknown> => {
    resources += 1;
    return { resources: [{ uri: `test:${resources}`, name: 'a', text }], nextCursor: `${resources}` };
  };
  const listing = await listPages(fetchPage, { kind: listKinds['resources/list'], signal });
  expect(listing.items).toHaveLength(34);
  expect(listing).toMatchObject({
    completeness: 'partial',
    problems: ['stopped after 35 pages and 34 resources; the limits are 100, 10000 and 32 MiB'],
  });
});
