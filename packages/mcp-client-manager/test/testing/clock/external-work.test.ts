import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ExternalWork } from '../../../src/testing/clock/external-work.js';
import { installFakeClock } from '../../../src/testing.js';

let time = 0;
let world: ExternalWork;
beforeEach(() => {
  world = new ExternalWork(() => time);
});
afterEach(() => world.close());

type Child = ChildProcessByStdio<Writable, Readable, null>;

const run = (program: string): Child =>
  spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
const echo = 'process.stdin.pipe(process.stdout)';

test('a child has a pending response from each message until its output', async () => {
  const child = run(echo);
  expect(world.hasPendingResponse()).toBe(false);
  child.stdin.write('1');
  expect(world.hasPendingResponse()).toBe(true);
  await once(child.stdout, 'data');
  expect(world.hasPendingResponse()).toBe(true); // it may have more to say
  time += 10;
  expect(world.hasPendingResponse()).toBe(false);
  child.stdin.write('2');
  expect(world.hasPendingResponse()).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(world.hasPendingResponse()).toBe(false);
});

test('a message during a response makes another response pending', async () => {
  const child = run("process.stdin.once('data', (chunk) => process.stdout.write(chunk))");
  child.stdin.write('1');
  child.stdout.once('data', () => child.stdin.write('2'));
  await once(child.stdout, 'data');
  time += 1_000;
  expect(world.hasPendingResponse()).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
});

test('a child whose stdin is closed owes its exit', async () => {
  const child = run('process.stdin.resume()');
  child.stdin.end();
  expect(world.hasPendingResponse()).toBe(true);
  await once(child, 'exit');
  expect(world.hasPendingResponse()).toBe(false);
});

test('a child without pipes owes nothing', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin.write('1');
  expect(world.hasPendingResponse()).toBe(false);
  child.kill();
  await once(child, 'exit');
});

test('so does the other end of a connection', async () => {
  const server = await listen();
  const socket = connect((server.address() as { port: number }).port, '127.0.0.1');
  expect(world.hasPendingResponse()).toBe(true);
  await once(socket, 'connect');
  expect(world.hasPendingResponse()).toBe(false);
  socket.write('1');
  expect(world.hasPendingResponse()).toBe(true);
  await once(socket, 'data');
  world.hasPendingResponse();
  time += 10;
  expect(world.hasPendingResponse()).toBe(false);
  socket.destroy();
  server.close();
});

test('earlier peers are not tracked', async () => {
  const child = run(echo);
  using late = { world: new ExternalWork(() => time), [Symbol.dispose]: () => late.world.close() };
  child.stdin.write('1');
  expect([world.hasPendingResponse(), late.world.hasPendingResponse()]).toEqual([true, false]);
  child.kill();
  await once(child, 'exit');
});

test('a limit that is set while the clock is put forward waits for the answer', async () => {
  using clock = installFakeClock();
  const child = run(echo);
  child.stdin.write('are you there?');
  await once(child.stdout, 'data');
  const seen: string[] = [];
  setTimeout(() => {
    child.stdin.write('question');
    const limit = setTimeout(() => seen.push('limit'), 5_000);
    child.stdout.once('data', () => {
      clearTimeout(limit);
      seen.push('answer');
    });
  }, 60_000);
  await clock.advance(600_000);
  expect(seen).toEqual(['answer']);
  child.kill();
  await once(child, 'exit');
});

test('but not forever, and only for limits', async () => {
  using clock = installFakeClock();
  const child = run('process.stdin.resume()');
  const seen: string[] = [];
  setTimeout(() => {
    child.stdin.write('question');
    setTimeout(() => seen.push('background'), 3_000).unref();
    setTimeout(() => seen.push('limit'), 5_000);
  }, 60_000);
  await clock.advance(600_000);
  expect(seen).toEqual(['background', 'limit']);
  child.kill();
  await once(child, 'exit');
});

async function listen(): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
