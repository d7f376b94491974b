import { strict as assert } from 'node:assert';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setUpDesktop } from './desktop.js';
import { EditorWindow } from './editor-window.js';

interface ServerStatus {
  readonly name: string;
  readonly state: string;
  readonly pid?: number;
}

const home = await realpath(await mkdtemp(join(tmpdir(), 'editor-')));
try {
  await tellStory(await setUpDesktop(home));
} finally {
  await rm(home, { recursive: true, force: true, maxRetries: 3 });
}

async function tellStory(env: NodeJS.ProcessEnv): Promise<void> {
  const storage = join(home, 'storage');
  const workspace = join(home, 'workspace');
  await Promise.all([mkdir(storage), mkdir(workspace)]);
  await writeFile(join(workspace, 'plan.txt'), 'Ship on Friday.');
  await configureWorkspace({
    files: { command: 'mcp-files', args: ['.'] },
    miner: { command: 'mcp-memory', args: ['--mine'] },
  });

  console.log('1. A workspace brings servers, and the window asks for each');
  const first = new EditorWindow(env, ({ message, items }) => (message.includes('miner') ? undefined : items[0]));
  assert.deepEqual(await first.request('about'), { hasTerminal: false, path: env.PATH });
  await first.request('activate', { storage, workspace });
  for (const question of first.questions.toSorted()) console.log(indented(question));
  const servers = await statusOf(first);
  for (const { name, state } of servers) console.log(`   ${name}: ${state}`);
  assert.deepEqual(servers.map(({ state }) => state).toSorted(), ['failed', 'running', 'running']);

  console.log('\n2. Its commands are found on the PATH of the login shell, which the host does not have');
  const args = { path: join(workspace, 'plan.txt') };
  const read = await first.request('callTool', { name: 'mcp__files__read_text_file', args });
  console.log(`   mcp__files__read_text_file: ${read}`);
  assert.equal(read, 'Ship on Friday.');

  console.log('\n3. Deactivated, and no process stays');
  assert.equal(await first.close(), 0);
  console.log(`   ${goneOf(servers)} servers ran, 0 are left`);

  console.log('\n4. Another window asks for what is new or has changed');
  await configureWorkspace({ files: { command: 'mcp-files', args: ['..'] } });
  const second = new EditorWindow(env, ({ items }) => items[0]);
  await second.request('activate', { storage, workspace });
  console.log(second.questions.map(indented).join('\n'));
  assert.equal(second.questions.length, 1);

  console.log('\n5. The window crashes, and no process stays');
  const left = await statusOf(second);
  assert.equal(await second.crash(), 0);
  console.log(`   ${goneOf(left)} servers ran, 0 are left`);

  console.log('\n6. It crashes while it asks');
  await configureWorkspace({ files: { command: 'mcp-files', args: ['.', '..'] } });
  const { promise: asked, resolve: ask } = deferred();
  const third = new EditorWindow(env, () => {
    ask();
    return new Promise(() => undefined);
  });
  const refused = assert.rejects(third.request('activate', { storage, workspace }), /gone/);
  await asked;
  assert.equal(await third.crash(), 0);
  await refused;
  console.log('   the extension host has ended by itself');

  async function configureWorkspace(mcpServers: object): Promise<void> {
    await writeFile(join(workspace, '.mcp.json'), JSON.stringify({ mcpServers }));
  }
}

async function statusOf(window: EditorWindow): Promise<readonly ServerStatus[]> {
  return window.request('status');
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function indented(question: string): string {
  return `   ${question.replaceAll('\n', '\n     ')}`;
}

/** Counts the servers that ran. Throws if one still does. */
function goneOf(servers: readonly ServerStatus[]): number {
  const pids = servers.flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  for (const pid of pids) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  return pids.length;
}
