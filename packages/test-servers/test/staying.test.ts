import { once } from 'node:events';
import { expectNoLeaks, findLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { RawServer } from './helpers/raw-server.js';

afterEach(expectNoLeaks);

test('never-initializes answers nothing and leaves at the end of stdin', async () => {
  await using server = new RawServer('never-initializes');
  server.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} });
  server.child.stdin.end();
  expect(await server.exited).toEqual({ code: 0, signal: null });
  await server.stdoutClosed;
  expect(server.lines).toEqual([]);
});

// Windows has no SIGTERM to ignore: there it ends a process at once.
test.skipIf(process.platform === 'win32')('ignores-sigterm goes on working after SIGTERM', async () => {
  await using server = new RawServer('ignores-sigterm');
  await server.initialize();
  server.child.kill('SIGTERM');
  expect(await server.text('echo', { text: 'still here' })).toBe('still here');
});

test('ignores-sigterm stays when stdin ends', async () => {
  await using server = new RawServer('ignores-sigterm');
  server.send({ jsonrpc: '2.0', id: 'last', method: 'ping' });
  server.child.stdin.end();
  await server.message(({ id }) => id === 'last');
  server.child.kill('SIGKILL');
  expect((await server.exited).code).toBe(null);
});

test.skipIf(process.platform !== 'linux')(
  'leaves-grandchild is outlived by a process that holds its pipes',
  async () => {
    const server = new RawServer('leaves-grandchild');
    const grandchild = Number(await server.text('grandchild'));
    server.child.stdin.end();
    await server.exited;
    try {
      expect((await findLeaks()).map(({ pid }) => pid)).toEqual([grandchild]);
      expect(server.child.stdout.readableEnded).toBe(false);
    } finally {
      process.kill(grandchild, 'SIGKILL');
    }
    await server.stdoutClosed;
  },
);

test('closes-stdout closes its stdout and keeps running', async () => {
  await using server = new RawServer('closes-stdout');
  expect(await server.text('echo', { text: 'open' })).toBe('open');
  server.send({ jsonrpc: '2.0', id: 'close', method: 'tools/call', params: { name: 'close' } });
  await server.stdoutClosed;
  expect(server.child.exitCode).toBe(null);
  server.child.stdin.end();
  expect(await server.exited).toEqual({ code: 0, signal: null });
});

test('closes-stdout can close it before any handshake', async () => {
  await using server = new RawServer('closes-stdout', '--at-start');
  await server.stdoutClosed;
  expect(server.child.exitCode).toBe(null);
});

test('floods-stderr does not answer before its stderr has been read, and then it does', async () => {
  await using server = new RawServer('floods-stderr', '--megabytes', '2');
  const handshake = server.initialize();
  await once(server.child.stderr, 'readable');
  expect(server.lines).toEqual([]);
  let bytes = 0;
  server.child.stderr.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  expect((await handshake).result).toBeDefined();
  expect(await server.text('echo', { text: 'done' })).toBe('done');
  server.child.stdin.end();
  await once(server.child.stderr, 'end');
  expect(bytes).toBe(4 * 1024 * 1024);
});

test('floods-stderr can write one endless line of bytes that are no text', async () => {
  await using server = new RawServer('floods-stderr', '--megabytes', '0.1', '--no-newline', '--binary');
  server.child.stdin.end();
  const written = await server.stderr();
  expect(written).not.toContain('\n');
  expect(written).toContain('\0');
  expect(written).toContain('\ufffd');
});
