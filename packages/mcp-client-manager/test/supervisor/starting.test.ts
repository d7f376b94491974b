import { chmod, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectNoLeaks, findLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import type { ManagerError } from '../../src/errors.js';
import { temporaryDirectory } from '../helpers/processes.js';
import { failureOf, fixtureSpec, managerOf, phasesOf, serverSpec, stateOf, textOf } from '../helpers/servers.js';

afterEach(expectNoLeaks);

async function startFailure(...args: Parameters<typeof fixtureSpec>): Promise<ManagerError> {
  await using manager = managerOf(fixtureSpec(...args));
  const error = (await failureOf(manager.server('fixture').start())) as ManagerError;
  expect(error).toMatchObject({ name: 'ManagerError', code: 'start-failed', server: 'fixture' });
  return error.cause as ManagerError;
}

test('a server that was started goes through these states', async () => {
  await using manager = managerOf(serverSpec('echo'));
  const phases = phasesOf(manager, 'echo');
  expect(manager.server('echo').state).toBe('stopped');
  await manager.server('echo').start();
  expect(manager.server('echo').state).toBe('running');
  await manager.server('echo').stop();
  expect(manager.server('echo').state).toBe('stopped');
  expect(phases).toEqual([
    'queued',
    'starting spawn',
    'starting handshake',
    'starting tools',
    'ready',
    'stopping',
    'idle',
  ]);
});

test('a command that does not exist fails for good, and the others start', async () => {
  await using manager = managerOf({ name: 'gone', command: 'no-such-command-anywhere' }, serverSpec('echo'));
  const [gone, echo] = await manager.start();
  expect(echo).toEqual({ server: 'echo', status: 'started' });
  expect(gone).toMatchObject({
    status: 'failed',
    error: {
      code: 'start-failed',
      message:
        'Server "gone" cannot start: the command "no-such-command-anywhere" was not found. Install it, or give its full path. It is not tried again until it is started by hand.',
      cause: { code: 'command-not-found' },
    },
  });
  expect(await stateOf(manager, 'gone', 'failed')).toMatchObject({ generation: 1 });
});

test.skipIf(process.platform === 'win32')('a file that may not be executed has its own code', async () => {
  const folder = await temporaryDirectory();
  const command = join(folder, 'server');
  await writeFile(command, '#!/bin/sh\n');
  await chmod(command, 0o644);
  await using manager = managerOf({ name: 'git', command });
  const error = (await failureOf(manager.server('git').start())) as ManagerError;
  expect(error.cause).toMatchObject({ code: 'command-not-executable', server: 'git' });
  expect(await stateOf(manager, 'git', 'failed')).toMatchObject({ generation: 1 });
});

test('a working directory that is missing has its own code and is named', async () => {
  const cwd = join(tmpdir(), 'no', 'such', 'folder');
  await using manager = managerOf(serverSpec('echo', [], { cwd }));
  const error = (await failureOf(manager.server('echo').start())) as ManagerError;
  expect(error.cause).toMatchObject({ code: 'directory-not-found' });
  expect(error.message).toContain(cwd);
  expect(await stateOf(manager, 'echo', 'failed')).toMatchObject({ generation: 1 });
});

test('skips junk on stdout, counts it, and reports it once per generation', async () => {
  await using manager = managerOf(serverSpec('speaks-garbage'));
  const told: string[] = [];
  manager.events.on('server-junk', ({ server }) => told.push(server));
  const server = manager.server('speaks-garbage');
  expect(textOf(await server.callTool('echo', { text: 'through the noise' }))).toBe('through the noise');
  expect(told).toEqual(['speaks-garbage']);
  const { junkLines } = server.status;
  expect(junkLines).toBeGreaterThan(20);
  await server.restart();
  expect(told).toEqual(['speaks-garbage', 'speaks-garbage']);
  expect(server.status.junkLines).toBeGreaterThan(junkLines);
});

test.each([
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","id":null,"result":null}',
  '{"jsonrpc":"2.0","id":{},"result":{}}',
  '{"jsonrpc":"2.0","id":99999,"result":{}}',
  '{"jsonrpc":"2.0","id":99999,"error":{"code":"x"}}',
  '{"jsonrpc":"2.0","method":5}',
  '{"jsonrpc":"2.0","method":"notifications/unknown","params":[1]}',
  '{"jsonrpc":"2.0","method":"notifications/progress","params":{}}',
  '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":77,"progress":1}}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}',
  '{"jsonrpc":"2.0","id":"s1","method":"roots/list"}',
  '{"jsonrpc":"2.0","id":"s2","method":"sampling/createMessage","params":null}',
  '{"jsonrpc":"2.0","id":"s3","method":"unknown/method"}',
  '{"__proto__":{"jsonrpc":"2.0"},"jsonrpc":"2.0"}',
])('a message that makes no sense does no harm: %s', async (noise) => {
  await using manager = managerOf(fixtureSpec('scripted.mjs', [JSON.stringify({ noise: [noise] })]));
  expect(textOf(await manager.callTool('fixture', 'act'))).toBe('acted');
});

test('a server that never answers is ended after its startup time, and nothing is left', async () => {
  const spec = serverSpec('never-initializes', [], { limits: { startupTimeoutMs: 1_000 } });
  await using manager = managerOf(spec);
  const error = (await failureOf(manager.server('never-initializes').start())) as ManagerError;
  expect(error).toMatchObject({ code: 'start-failed', retryable: true, cause: { code: 'handshake-timed-out' } });
  expect(error.message).toContain('did not finish its handshake within 1000 ms');
  expect(await stateOf(manager, 'never-initializes', 'backoff')).toMatchObject({ generation: 1, failures: 1 });
  expect(await findLeaks()).toEqual([]);
});

test.each(['auto', 'legacy', '2026-07-28'] as const)(
  'silence ends in the same way with protocol %s',
  async (protocol) => {
    await using manager = managerOf(
      serverSpec('never-initializes', [], { limits: { startupTimeoutMs: 1_000 }, protocol }),
    );
    const error = (await failureOf(manager.server('never-initializes').start())) as ManagerError;
    expect(error.cause).toMatchObject({ code: 'handshake-timed-out' });
  },
);

test('an answer that comes after the startup time changes nothing', async () => {
  const spec = serverSpec('slow', ['--handshake-ms', '1300'], {
    limits: { startupTimeoutMs: 1_000 },
    restart: { onFailure: false },
  });
  await using manager = managerOf(spec);
  const phases = phasesOf(manager, 'slow');
  await failureOf(manager.server('slow').start());
  await stateOf(manager, 'slow', 'failed');
  expect(phases).toEqual(['queued', 'starting spawn', 'starting handshake', 'stopping', 'failed']);
  expect(await findLeaks()).toEqual([]);
});

test('a modern server that may only be spoken to the old way is refused, with the versions of both', async () => {
  await using manager = managerOf(serverSpec('modern-only', [], { protocol: 'legacy' }));
  const error = (await failureOf(manager.server('modern-only').start())) as ManagerError;
  expect(error.cause).toMatchObject({ code: 'unsupported-protocol' });
  expect(error.message).toContain('speaks 2026-07-28');
  expect(error.message).toContain('2025-11-25');
  expect(error.message).toContain('Set "protocol: auto"');
  expect(await stateOf(manager, 'modern-only', 'failed')).toMatchObject({ generation: 1 });
});

test('an old server that may only be spoken to the new way is refused', async () => {
  await using manager = managerOf(serverSpec('echo', [], { protocol: '2026-07-28' }));
  const error = (await failureOf(manager.server('echo').start())) as ManagerError;
  expect(error.cause).toMatchObject({ code: 'unsupported-protocol' });
  expect(error.message).toContain('2026-07-28');
  expect(await stateOf(manager, 'echo', 'failed')).toMatchObject({ generation: 1 });
});

test('refuses an unknown version and names the versions of both sides', async () => {
  const cause = await startFailure('scripted.mjs', [JSON.stringify({ initialize: { protocolVersion: '1999-01-01' } })]);
  expect(cause.code).toBe('unsupported-protocol');
  expect(cause.message).toContain('1999-01-01');
  expect(cause.message).toContain('2025-11-25');
});

test('a handshake that is answered with an error is refused with that error', async () => {
  const error = { code: -32_603, message: 'no licence', data: { buy: true } };
  const cause = await startFailure('scripted.mjs', [JSON.stringify({ initialize: { error } })]);
  expect(cause).toMatchObject({
    code: 'handshake-refused',
    rpc: error,
    message: 'Server "fixture" refused the handshake: no licence (-32603)',
  });
});

test('a handshake that is answered with nonsense is refused', async () => {
  const cause = await startFailure('scripted.mjs', [JSON.stringify({ initialize: { serverInfo: 'me' } })]);
  expect(cause.code).toBe('handshake-refused');
});

test('a server that exits at once fails with its code and its last words', async () => {
  const spec = serverSpec('exits-at-once', ['--code', '9', '--stderr', 'no licence found']);
  await using manager = managerOf(spec);
  const error = (await failureOf(manager.server('exits-at-once').start())) as ManagerError;
  expect(error).toMatchObject({
    code: 'start-failed',
    stderrTail: ['no licence found'],
    cause: {
      code: 'exited-early',
      message:
        'Server "exits-at-once" exited (code 9) before the handshake was over. Its stderr ends with "no licence found".',
    },
  });
});

test('a server that closes its stdout at once fails without waiting for the startup time', async () => {
  await using manager = managerOf(
    serverSpec('closes-stdout', ['--at-start'], { limits: { startupTimeoutMs: 60_000 } }),
  );
  const error = (await failureOf(manager.server('closes-stdout').start())) as ManagerError;
  expect(error.cause).toMatchObject({ code: 'exited-early' });
  expect(error.message).toContain('closed its output before the handshake was over');
});

test('a server that dies while its tools are listed was never ready', async () => {
  const folder = await temporaryDirectory();
  const args = ['--file', join(folder, 'starts'), '--crash-first', '1', '--when', 'tools'];
  await using manager = managerOf(serverSpec('counter', args));
  const phases = phasesOf(manager, 'counter');
  const error = (await failureOf(manager.server('counter').start())) as ManagerError;
  expect(error.cause).toMatchObject({ code: 'connection-lost', message: 'Server "counter" exited (code 1)' });
  expect(phases.slice(0, 5)).toEqual(['queued', 'starting spawn', 'starting handshake', 'starting tools', 'stopping']);
  expect(error.stderrTail).toEqual(['counter: crashing on start 1']);
  await manager.server('counter').start();
});

test('fifty first calls at once start one process', async () => {
  const folder = await temporaryDirectory();
  await using manager = managerOf(serverSpec('counter', ['--file', join(folder, 'starts')]));
  const calls = Array.from({ length: 50 }, () => manager.callTool('counter', 'starts'));
  expect((await Promise.all(calls)).map(textOf)).toEqual(Array(50).fill('1'));
  expect(manager.server('counter').status.restarts).toBe(0);
});
