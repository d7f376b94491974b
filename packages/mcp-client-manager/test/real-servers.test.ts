import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StdioServerSpec } from '../src/spec.js';
import { failureOf, isRunning, managerOf, stateOf, textOf } from './helpers/servers.js';

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'manager-')));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
  await expectNoLeaks();
});

const require = createRequire(import.meta.url);
const manifests = {
  everything: require.resolve('@modelcontextprotocol/server-everything/package.json'),
  filesystem: require.resolve('@modelcontextprotocol/server-filesystem/package.json'),
  memory: require.resolve('@modelcontextprotocol/server-memory/package.json'),
};

function real(
  name: keyof typeof manifests,
  args: readonly string[],
  env: Record<string, string> = {},
): StdioServerSpec {
  const program = join(dirname(manifests[name]), 'dist', 'index.js');
  return { name, command: process.execPath, args: [program, ...args], env, limits: { shutdownTimeoutMs: 1_000 } };
}

test('server-everything: echoes, adds, reports progress, and stops', async () => {
  await using manager = managerOf(real('everything', ['stdio']));
  const server = manager.server('everything');
  const names = (await server.discoverTools()).map(({ name }) => name);
  expect(names).toContain('echo');
  expect(textOf(await server.callTool('echo', { message: 'hello' }))).toBe('Echo: hello');
  expect(textOf(await server.callTool('get-sum', { a: 2, b: 3 }))).toContain('5');

  const progress: number[] = [];
  const args = { duration: 0.1, steps: 2 };
  await server.callTool('trigger-long-running-operation', args, { onProgress: (step) => progress.push(step.progress) });
  expect(progress).toEqual([1, 2]);

  expect(await server.checkHealth()).toBe(true);
  expect(server).toMatchObject({ state: 'running', session: { serverInfo: { name: expect.any(String) } } });
  await server.stop();
  expect(server.state).toBe('stopped');
});

test('server-everything: cancelling a call does not affect the others', async () => {
  await using manager = managerOf(real('everything', ['stdio']));
  const server = manager.server('everything');
  await server.start();
  const args = { duration: 60, steps: 600 };
  const end = new AbortController();
  const long = failureOf(
    server.callTool('trigger-long-running-operation', args, {
      signal: end.signal,
      onProgress: () => end.abort(reason),
    }),
  );
  const reason = new Error('enough');
  expect(await long).toBe(reason);
  expect(textOf(await server.callTool('echo', { message: 'still here' }))).toBe('Echo: still here');
});

test('server-filesystem: reads and writes in its folder, and refuses paths outside', async () => {
  await writeFile(join(folder, 'note.txt'), 'remember the milk');
  await using manager = managerOf(real('filesystem', [folder]));
  const server = manager.server('filesystem');
  expect(textOf(await server.callTool('read_text_file', { path: join(folder, 'note.txt') }))).toBe('remember the milk');
  await server.callTool('write_file', { path: join(folder, 'new.txt'), content: 'written' });
  expect(await readFile(join(folder, 'new.txt'), 'utf8')).toBe('written');
  expect(await server.callTool('read_text_file', { path: join(dirname(folder), 'outside.txt') })).toMatchObject({
    isError: true,
  });
  expect(server.listTools().length).toBeGreaterThan(5);
});

test('server-memory: remembers across a crash of its process', async () => {
  const env = { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') };
  await using manager = managerOf(real('memory', [], env));
  const server = manager.server('memory');
  const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote the first program'] }];
  await server.callTool('create_entities', { entities });
  const { pid } = server.status;
  process.kill(pid as number, 'SIGKILL');
  await stateOf(manager, 'memory', ({ phase, generation }) => phase === 'ready' && generation === 2);
  expect(textOf(await server.callTool('search_nodes', { query: 'Ada' }))).toContain('wrote the first program');
  expect(isRunning(pid as number)).toBe(false);
});

test('all three at once: start, list, stop', async () => {
  const memory = { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') };
  const manager = managerOf(real('everything', ['stdio']), real('filesystem', [folder]), real('memory', [], memory));
  expect((await manager.start()).map(({ status }) => status)).toEqual(['started', 'started', 'started']);
  for (const { tools, state, protocolVersion } of manager.status()) {
    expect({ state, protocolVersion }).toEqual({ state: 'running', protocolVersion: '2025-11-25' });
    expect(tools).toBeGreaterThan(0);
  }
  await manager.close();
});
