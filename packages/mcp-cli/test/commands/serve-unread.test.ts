import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expectNoLeaks, withOwner } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { project, serversFile } from '../helpers/project.js';
import { homeIn, mcpx, startMcpx } from '../helpers/serving.js';

afterEach(expectNoLeaks);

const megabyte = 1_000_000;
const clientInfo = { name: 'unread', version: '1.0.0' };
const opening = [
  { id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } },
  { method: 'notifications/initialized' },
];

interface Unread extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Asks for an answer of that many bytes. */
  ask(id: number, bytes: number): void;
  /** Resolves when the first bytes of an answer that large are on stdout; nothing of it is taken. */
  readonly answered: Promise<unknown>;
  /** Resolves with all that was on stderr when the process has ended. */
  ended(): Promise<{ exitCode: number | null; stderr: string }>;
}

/** A client that asks and never reads. */
async function connectUnread(folder: string): Promise<Unread> {
  const child = spawn(process.execPath, [mcpx, 'serve', '--own-servers'], {
    cwd: folder,
    env: withOwner({ ...process.env, ...homeIn(folder) }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdin.on('error', () => undefined); // it may be gone while it is still written to
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const answered = once(child.stdout, 'readable');
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  for (const message of opening) send(message);
  return {
    child,
    ask: (id, bytes) => send({ id, method: 'tools/call', params: { name: 'mcp__large__big', arguments: { bytes } } }),
    answered,
    ended: () => exited.then(([exitCode]) => ({ exitCode, stderr })),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await exited;
      child.stdout.destroy();
    },
  };
}

const files = { 'mcp_servers.yaml': serversFile([{ name: 'large', server: 'huge-result' }]) };

describe('a client over stdio that never reads', () => {
  test('is disconnected when too much output is pending', async () => {
    await using here = await project(files);
    await using client = await connectUnread(here.folder);
    for (let id = 1; id <= 20; id += 1) client.ask(id, 5 * megabyte);
    const { exitCode, stderr } = await client.ended();
    expect(stderr).toContain('warning: The client does not read: more than 67108864 bytes are pending. ');
    expect(exitCode).toBe(0);
  });

  test.each([
    ['SIGTERM', 0, (child: ChildProcess): void => void child.kill('SIGTERM')],
    ['the end of stdin', 0, (child: ChildProcess): void => void child.stdin?.end()],
  ] as const)('does not hold up the end by %s', async (_, code, end) => {
    await using here = await project(files);
    await using client = await connectUnread(here.folder);
    client.ask(1, 5 * megabyte);
    await client.answered;
    end(client.child);
    expect((await client.ended()).exitCode).toBe(code);
  });
});

describe('a client over stdio that closes stderr', () => {
  /** Resolves once the gateway has answered `initialize` and the client has closed its stderr. */
  async function closedStderr(folder: string) {
    const serving = startMcpx(folder, ['serve', '--own-servers']);
    const send = (message: object) => serving.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    for (const message of opening) send(message);
    await serving.seen(/"id":0[^\n]*\n/, 'stdout');
    const { stderr } = serving.child;
    if (stderr !== null) await once(stderr.destroy(), 'close');
    return { serving, send };
  }

  test('still gets an orderly end by SIGTERM', async () => {
    await using here = await project(files);
    const { serving } = await closedStderr(here.folder);
    await using _ = serving;
    serving.child.kill('SIGTERM');
    expect((await serving.ended()).exitCode).toBe(0);
  });

  test('still gets answers after messages on the closed pipe', async () => {
    await using here = await project({
      'mcp_servers.yaml': serversFile([{ name: 'mortal', server: 'dies-mid-call' }]),
    });
    const { serving, send } = await closedStderr(here.folder);
    await using _ = serving;
    send({ id: 1, method: 'tools/call', params: { name: 'mcp__mortal__die', arguments: {} } });
    await serving.seen(/"id":1[^\n]*\n/, 'stdout');
    send({ id: 2, method: 'ping' });
    await serving.seen(/"id":2[^\n]*\n/, 'stdout');
    serving.child.stdin?.end();
    expect((await serving.ended()).exitCode).toBe(0);
  });
});

describe('a client over stdio that disconnects while servers start', () => {
  const hung = { name: 'hung', server: 'never-initializes', fields: { startup_timeout_seconds: 60 } } as const;
  const silent = { 'mcp_servers.yaml': serversFile([hung]) };

  test.each([[[]], [['--names', 'as-is']]])('is noticed: %j', async (args) => {
    await using here = await project(silent);
    await using serving = startMcpx(here.folder, ['serve', '--own-servers', ...args]);
    await serving.seen(/hung/);
    serving.child.stdin?.end();
    expect((await serving.ended()).exitCode).toBe(0);
  });

  test('before serving began is noticed, too', async () => {
    await using here = await project(silent);
    const child = spawn(process.execPath, [mcpx, 'serve', '--own-servers'], {
      cwd: here.folder,
      env: withOwner({ ...process.env, ...homeIn(here.folder) }),
      stdio: 'ignore',
    });
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('requests sent meanwhile are answered afterwards', async () => {
    const echo = { name: 'files', server: 'echo' } as const;
    await using here = await project({ 'mcp_servers.yaml': serversFile([echo, hung]) });
    await using serving = startMcpx(here.folder, ['serve', '--own-servers', '--names', 'as-is']);
    const call = { id: 1, method: 'tools/call', params: { name: 'echo', arguments: { text: 'é'.repeat(300_000) } } };
    for (const message of [...opening, call]) {
      serving.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    }
    await serving.seen(/"id":1[^\n]*\n/, 'stdout');
    const answers = serving
      .stdout()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers.find(({ id }) => id === 1).result.content).toEqual([{ type: 'text', text: 'é'.repeat(300_000) }]);
  });
});
