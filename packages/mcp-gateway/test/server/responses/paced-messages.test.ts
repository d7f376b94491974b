import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { CallerTurns } from '../../../src/server/caller-turns.js';
import { PacedMessages } from '../../../src/server/responses/event-stream.js';
import { WaitingBytes } from '../../../src/server/responses/waiting-bytes.js';

const LARGE = 100_000;

function progress(number: number, size: number): JSONRPCMessage {
  return { jsonrpc: '2.0', method: 'notifications/progress', params: { number, text: 'x'.repeat(size) } };
}

function result(size: number): JSONRPCMessage {
  return { jsonrpc: '2.0', id: 7, result: { text: 'x'.repeat(size) } };
}

function setUp(perCaller: number) {
  const ledger = new WaitingBytes({ perCaller, all: 10 * perCaller });
  const turns = new CallerTurns();
  const waiting = ledger.open('bob');
  return { ledger, turns, waiting, messages: new PacedMessages(waiting, turns) };
}

/** Uses up the time of the turn of the event loop, so that more work has to wait. */
function fillTurn(turns: CallerTurns): void {
  turns.acquire('alice');
  const until = performance.now() + 20;
  while (performance.now() < until);
}

test('serializes at once while the event loop is idle, and counts nothing afterwards', async () => {
  const { ledger, messages } = setUp(10 * LARGE);
  const written: JSONRPCMessage[] = [];
  void messages.pass(progress(1, LARGE), (message) => void written.push(message));
  expect(written).toHaveLength(1);
  expect(ledger.state.bytes).toBe(0);
});

test('keeps the order, and counts each message until it is serialized', async () => {
  const { ledger, turns, messages } = setUp(10 * LARGE);
  fillTurn(turns);
  const written: unknown[] = [];
  const pass = (number: number, size: number) => messages.pass(progress(number, size), () => void written.push(number));
  const all = [pass(1, LARGE), pass(2, 1), pass(3, LARGE)];
  const ended = new Promise<void>((resolve) => messages.after(resolve));
  expect(written).toEqual([]);
  expect(ledger.state.bytes).toBeGreaterThan(2 * LARGE);
  await Promise.all([...all, ended]);
  expect(written).toEqual([1, 2, 3]);
  expect(ledger.state.bytes).toBe(0);
});

test('does not serialize a message without room', async () => {
  const { ledger, messages } = setUp(LARGE);
  const other = ledger.open('bob');
  other.tryAdd(LARGE);
  let serialized = 0;
  for (let number = 0; number < 1_000; number++) {
    await expect(messages.pass(progress(number, LARGE), () => void serialized++)).rejects.toThrow(
      'The message was dropped, because too many bytes are pending for this caller',
    );
  }
  expect(serialized).toBe(0);
  expect(ledger.state.bytes).toBeLessThan(2 * LARGE);
  other.close();
  await messages.pass(progress(1, LARGE), () => void serialized++);
  expect(serialized).toBe(1);
});

test('without room, ends a response whose client has not read earlier data, and no other', async () => {
  const { ledger, waiting, messages } = setUp(LARGE);
  const other = ledger.open('bob');
  const reasons: string[] = [];
  waiting.onEviction(({ message }) => reasons.push(message));
  waiting.tryAdd(1_000);
  other.tryAdd(LARGE);
  await expect(messages.pass(progress(1, LARGE), () => undefined)).rejects.toThrow('was dropped');
  expect(reasons).toEqual(['The client does not read: too many bytes are pending for its caller']);
  const reading = ledger.open('bob').onEviction(({ message }) => reasons.push(message));
  const unrelated = new PacedMessages(reading, new CallerTurns());
  await expect(unrelated.pass(progress(1, LARGE), () => undefined)).rejects.toThrow('was dropped');
  expect(reasons).toHaveLength(1);
});

test('without room, an error replaces a result, after earlier messages', async () => {
  const { ledger, turns, messages } = setUp(LARGE);
  fillTurn(turns);
  const written: JSONRPCMessage[] = [];
  const pass = (message: JSONRPCMessage) => messages.pass(message, (passed) => void written.push(passed));
  const first = pass(progress(1, LARGE));
  expect(ledger.state.bytes).toBeGreaterThan(LARGE);
  await Promise.all([first, pass(result(LARGE))]);
  expect(written[0]).toMatchObject({ params: { number: 1 } });
  expect(written[1]).toMatchObject({ id: 7, error: { code: -32_000 } });
});

test('rejects with errors of serialization, at once or in a later turn', async () => {
  const { turns, messages } = setUp(10 * LARGE);
  const fail = () => {
    throw new TypeError('no JSON');
  };
  await expect(messages.pass(progress(1, LARGE), fail)).rejects.toThrow('no JSON');
  fillTurn(turns);
  await expect(messages.pass(progress(2, LARGE), fail)).rejects.toThrow('no JSON');
});

test('passes the remaining messages of an ended response on without a turn', () => {
  const { turns, waiting, messages } = setUp(10 * LARGE);
  fillTurn(turns);
  let written = 0;
  waiting.close();
  void messages.pass(result(LARGE), () => void written++);
  expect(written).toBe(1);
});
