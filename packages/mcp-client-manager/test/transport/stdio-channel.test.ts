import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import type { JsonRpcMessage } from '@x/internal/contracts';
import { expect, test } from 'vitest';
import { StdioChannel } from '../../src/transport/stdio-channel.js';

function channel({
  stdin = new PassThrough(),
  maxMessageBytes = 1_024,
}: {
  stdin?: Writable;
  maxMessageBytes?: number;
} = {}) {
  const stdout = new PassThrough();
  const seen = { messages: [] as JsonRpcMessage[], junk: [] as string[], closed: 0 };
  const opened = new StdioChannel({ stdin, stdout, maxMessageBytes });
  opened.listen({
    onMessage: (message) => seen.messages.push(message),
    onJunk: (text) => seen.junk.push(text),
    onClosed: () => {
      seen.closed += 1;
    },
  });
  return { channel: opened, stdin, stdout, seen };
}

const message: JsonRpcMessage = { jsonrpc: '2.0', id: 1, result: { text: 'ü' } };
const messageLine = `${JSON.stringify(message)}\n`;

test('messages are read between junk, blank lines and half lines', async () => {
  const { stdout, seen } = channel();
  const line = Buffer.from(`\n  \n\u001b[31mstarting…\u001b[0m\r\n${JSON.stringify(message)}\r\n{"jsonrpc"\n`);
  for (const byte of line) stdout.write(Buffer.of(byte));
  stdout.end();
  await once(stdout, 'end');
  expect(seen.messages).toEqual([message]);
  expect(seen.junk).toEqual(['\u001b[31mstarting…\u001b[0m', '{"jsonrpc"']);
});

test.each(['[]', `[${JSON.stringify(message)}]`, '42', 'null', '"text"', '{}', '{"jsonrpc":"1.0","id":1,"result":{}}'])(
  'JSON that is no message is junk: %s',
  async (text) => {
    const { stdout, seen } = channel();
    stdout.end(`${text}\n`);
    await once(stdout, 'end');
    expect(seen).toMatchObject({ messages: [], junk: [text] });
  },
);

test('an answer over the limit becomes an error answer, anything else over it is junk', async () => {
  const { stdout, seen } = channel();
  stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: 5, result: 'x'.repeat(5_000) })}\n`);
  stdout.end(`${'y'.repeat(5_000)}\n`);
  await once(stdout, 'end');
  expect(seen.messages).toMatchObject([{ id: 5, error: { code: -32_090 } }]);
  expect(seen.junk).toEqual(['y'.repeat(1_024)]);
});

test('reports the end once, for any order of the streams', async () => {
  const { stdin, stdout, seen } = channel();
  stdout.end();
  await once(stdout, 'close');
  stdin.destroy();
  await once(stdin, 'close');
  expect(seen.closed).toBe(1);
});

test('a message after the end is refused and nothing is written', async () => {
  const { channel: opened, stdin, stdout } = channel();
  stdout.end();
  await once(stdout, 'close');
  expect(opened.sendLines(messageLine)).toBe('closed');
  expect((stdin as PassThrough).readableLength).toBe(0);
});

test('many messages that wait for a slow reader leave no listeners behind and none too many on the way', async () => {
  const takeNext: (() => void)[] = [];
  const stdin = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, taken) => void takeNext.push(taken) });
  const { channel: opened } = channel({ stdin });
  const before = stdin.listenerCount('close');
  const sent = Array.from({ length: 50 }, () => opened.sendLines(messageLine));
  expect(stdin.listenerCount('drain')).toBeLessThanOrEqual(1);
  expect(stdin.listenerCount('close')).toBeLessThanOrEqual(before + 1);
  const all = Promise.all(sent);
  for (let taken = 0; taken < 50; taken += 1) {
    takeNext.shift()?.();
    await Promise.resolve();
  }
  await all;
  expect(stdin.listenerCount('drain')).toBe(0);
  expect(stdin.listenerCount('close')).toBe(before);
});

test('a message that waits for a reader who goes away is let go', async () => {
  const stdin = new Writable({ highWaterMark: 1, write: () => undefined });
  const { channel: opened } = channel({ stdin });
  const sent = opened.sendLines(messageLine);
  expect(sent).toBeInstanceOf(Promise);
  stdin.destroy();
  await sent;
});

test('a server that never stops sending does not block other work', async () => {
  const { stdout, seen } = channel();
  const lines = `${JSON.stringify(message)}\n`.repeat(500);
  for (let chunk = 0; chunk < 100; chunk += 1) stdout.write(lines);
  stdout.end();
  const readAtTurn: number[] = [];
  const note = (): void => {
    readAtTurn.push(seen.messages.length);
    if (seen.closed === 0) setImmediate(note);
  };
  setImmediate(note);
  await once(stdout, 'end');
  expect(seen.messages).toHaveLength(50_000);
  const steps = readAtTurn.map((read, turn) => read - (readAtTurn[turn - 1] ?? 0));
  expect(Math.max(...steps)).toBeLessThanOrEqual(2_000);
});

test('reports an end from before the first listener', async () => {
  const stdout = new PassThrough();
  stdout.end();
  stdout.resume();
  await once(stdout, 'end');
  let closed = 0;
  const opened = new StdioChannel({ stdin: new PassThrough(), stdout, maxMessageBytes: 1_024 });
  opened.listen({
    onMessage: () => undefined,
    onJunk: () => undefined,
    onClosed: () => {
      closed += 1;
    },
  });
  expect(closed).toBe(1);
  expect(opened.sendLines(messageLine)).toBe('closed');
});
