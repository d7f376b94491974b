import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StdioServerSpec } from '../../../src/spec.js';
import { managerOf, managerWith, stateOf } from '../../helpers/servers.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lists-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await expectNoLeaks();
});

const program = fileURLToPath(new URL('../fixtures/lists.mjs', import.meta.url));
const warmingUp = { error: { code: -32603, message: 'the database is warming up' } };
const expired = { error: { code: -32602, message: 'the cursor has expired' } };
const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });

function listsSpec(answers: readonly unknown[], extras: Partial<StdioServerSpec> = {}): StdioServerSpec {
  const args = [program, join(folder, 'log')];
  const env = { LISTS: JSON.stringify(answers) };
  return {
    name: 'lists',
    command: process.execPath,
    args,
    env,
    ...extras,
    limits: { shutdownTimeoutMs: 1_000, ...extras.limits },
  };
}

const asked = (): string[] => readFileSync(join(folder, 'log'), 'utf8').trim().split('\n');
const listed = (): string[] => asked().filter((line) => line.startsWith('tools/list'));

test('a failed list is requested again, and the server is healthy when it arrives', async () => {
  await using manager = managerOf(listsSpec([warmingUp, warmingUp, { tools: [tool('a')] }]));
  const server = manager.server('lists');
  await server.start();
  expect(server).toMatchObject({ state: 'degraded', status: { tools: 0 } });
  await stateOf(manager, 'lists', (state) => state.phase === 'ready' && state.catalog === 'complete');
  expect(server).toMatchObject({
    state: 'running',
    status: { tools: 1, catalogProblems: [], restarts: 0 },
    lifecycle: { failures: 0, generation: 1 },
  });
  expect(listed()).toHaveLength(3);
});

test('a list that breaks off is read once more from its first page', async () => {
  const first = { tools: [tool('a')], nextCursor: '2' };
  await using manager = managerOf(listsSpec([first, expired, first, { tools: [tool('b')] }]));
  await manager.server('lists').start();
  expect(manager.server('lists')).toMatchObject({ state: 'running', status: { tools: 2, catalogProblems: [] } });
  expect(listed()).toEqual(['tools/list', 'tools/list 2', 'tools/list', 'tools/list 2']);
});

test('a list that breaks off twice offers its first part, and reports the rest', async () => {
  const first = { tools: [tool('a')], nextCursor: '2' };
  await using manager = managerOf(listsSpec([first, expired, first, expired]));
  await manager.server('lists').start();
  expect(manager.server('lists')).toMatchObject({
    state: 'degraded',
    status: { tools: 1, catalogProblems: ['page 2 failed: the cursor has expired'] },
  });
});

test('the time for a list is that of the present spec', async () => {
  const answers = [null, null, { tools: [tool('a')] }];
  const problemOf = (seconds: number) => [`the tool list did not arrive within ${seconds}000 ms`];
  await using manager = managerOf(listsSpec(answers, { limits: { startupTimeoutMs: 1_000 } }));
  const server = manager.server('lists');
  await server.start();
  expect(server.status.catalogProblems).toEqual(problemOf(1));
  await manager.apply({ servers: [listsSpec(answers, { limits: { startupTimeoutMs: 2_000 } })] });
  await server.restart();
  expect(server.status.catalogProblems).toEqual(problemOf(2));
});

test('a failed list does not make remembered tools look current', async () => {
  const options = { stateDirectory: join(folder, 'state') };
  const cachedAt = async (answers: readonly unknown[], isStarted: boolean): Promise<number | undefined> => {
    await using manager = managerWith(options, listsSpec(answers));
    const server = manager.server('lists');
    if (isStarted) await server.start();
    expect(server.status.tools).toBe(1);
    return server.status.cachedAt;
  };
  expect(await cachedAt([{ tools: [tool('a')] }], true)).toBeUndefined();
  const before = await cachedAt([], false);
  expect(before).toEqual(expect.any(Number));
  expect(await cachedAt([warmingUp], true)).toBe(before);
  expect(await cachedAt([], false)).toBe(before);
});

test('a list that was cut short is not remembered as a whole one', async () => {
  const options = { stateDirectory: join(folder, 'state') };
  {
    await using manager = managerWith(options, listsSpec([{ tools: [tool('a')], nextCursor: '2' }, expired]));
    await manager.server('lists').start();
  }
  await using manager = managerWith(options, listsSpec([]));
  expect(manager.server('lists').status).toMatchObject({
    tools: 1,
    catalogProblems: ['the remembered list is partial'],
  });
});

test('notices of a list that stays the same write nothing to disk', async () => {
  const stateDirectory = join(folder, 'state');
  await using manager = managerWith({ stateDirectory }, listsSpec([{ tools: [tool('a')] }]));
  const server = manager.server('lists');
  await server.start();
  const files = join(stateDirectory, 'catalogs');
  await expect.poll(() => readdirSync(files), { timeout: 20_000 }).toHaveLength(1);
  const inode = (): number => statSync(join(files, readdirSync(files)[0] as string)).ino;
  const before = inode();
  for (let round = 1; round <= 2; round += 1) {
    await server.callTool('a');
    await expect.poll(listed, { timeout: 20_000 }).toHaveLength(1 + round);
  }
  await manager.close();
  expect(inode()).toBe(before);
});
