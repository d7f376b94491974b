import { PassThrough } from 'node:stream';
import type { Gateway } from '@x/mcp-gateway';
import { expect, test } from 'vitest';
import type { Io } from '../../src/command.js';
import { exitCodes } from '../../src/command.js';
import { BufferedStdin, serveStdio } from '../../src/serving/serve-stdio.js';

const never = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

function ioOf(stdin: PassThrough, signal = new AbortController().signal): Io {
  const stream = { write: () => undefined };
  return { stdin, stdout: stream, stderr: stream, env: {}, cwd: '/', signal };
}

const nobody: Pick<Gateway, 'serve'> = {
  serve: () => {
    throw new Error('nobody is to be served');
  },
};
const serve = (io: Io, start: (signal: AbortSignal) => Promise<void>) =>
  serveStdio(nobody as Gateway, { role: undefined, drainMs: 1_000, start }, io);

test.each([
  ['ends stdin', (stdin: PassThrough) => void stdin.end()],
  ['breaks stdin', (stdin: PassThrough) => void stdin.destroy(new Error('reset'))],
  ['asks and ends stdin', (stdin: PassThrough) => void stdin.end('a line\n')],
])('a client that %s while servers start ends the start and is not served', async (_, go) => {
  const stdin = new PassThrough();
  const served = serve(ioOf(stdin), never);
  go(stdin);
  expect(await served).toBe(exitCodes.ok);
});

test('a client that has already ended is not served', async () => {
  const stdin = new PassThrough();
  stdin.destroy();
  expect(await serve(ioOf(stdin), async () => undefined)).toBe(exitCodes.ok);
});

test('an interruption and a failure while servers start are reported as such', async () => {
  const interruption = new AbortController();
  const served = serve(ioOf(new PassThrough(), interruption.signal), never);
  interruption.abort(new Error('interrupted'));
  await expect(served).rejects.toThrow('interrupted');
  const failing = () => Promise.reject(new Error('names collide'));
  await expect(serve(ioOf(new PassThrough()), failing)).rejects.toThrow('names collide');
});

test('early input is delivered to the next reader, complete and in order', async () => {
  const stdin = new PassThrough({ highWaterMark: 1_000 });
  const sent = Array.from({ length: 500 }, (_, n) => `${n} ${'x'.repeat(5_000)}\n`);
  {
    using early = new BufferedStdin(stdin);
    for (const line of sent.slice(0, 300)) stdin.write(line);
    await new Promise((resolve) => setImmediate(resolve));
    expect(early.gone.aborted).toBe(false);
  }
  expect(stdin.eventNames().filter((name) => name === 'data' || name === 'error')).toEqual([]);
  for (const line of sent.slice(300)) stdin.write(line);
  stdin.end();
  let text = '';
  for await (const chunk of stdin.setEncoding('utf8')) text += chunk;
  expect(text).toBe(sent.join(''));
});
