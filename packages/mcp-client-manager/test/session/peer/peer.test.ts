import { PassThrough } from 'node:stream';
import type { RpcError } from '@x/internal/contracts';
import { expect, test } from 'vitest';
import type { Params, RawResult } from '../../../src/session/peer/json-rpc.js';
import { Peer, type PeerHooks } from '../../../src/session/peer/peer.js';
import { PeerRequest } from '../../../src/session/peer/peer-request.js';
import { StdioChannel } from '../../../src/transport/stdio-channel.js';

/** Notes what becomes of it. */
class Noted extends PeerRequest {
  readonly caller = undefined;
  readonly outcomes: unknown[] = [];
  readonly method: string;

  constructor(method: string) {
    super();
    this.method = method;
  }

  paramsFor = (id: number): Params => ({ id });
  onSent = (): void => undefined;
  override onProgress = ({ progress }: Params): void => void this.outcomes.push({ progress });
  onResult = (result: RawResult): void => void this.outcomes.push({ result });
  onRefused = ({ code }: RpcError): void => void this.outcomes.push({ code });
  onLost = (): void => void this.outcomes.push(this.isSent ? 'lost' : 'unsent');
  onUndelivered = (): void => void this.outcomes.push('undelivered');
}

interface Opened {
  readonly peer: Peer;
  readonly stdin: PassThrough;
  /** What the server sends. */
  say(message: object): void;
  /** Resolves when all that was said is heard. */
  heard(): Promise<void>;
  /** What was written to the server. */
  written(): readonly { readonly id?: unknown; readonly method?: string; readonly error?: RpcError }[];
}

function open(hooks: Partial<PeerHooks> = {}, stdin = new PassThrough()): Opened {
  const stdout = new PassThrough();
  const peer = new Peer(new StdioChannel({ stdin, stdout, maxMessageBytes: 1_000_000 }), {
    redact: undefined,
    onJunk: () => undefined,
    readsBatches: () => false,
    onFlushed: () => undefined,
    hooks: { answer: async () => ({}), onNotification: () => undefined, onClosed: () => undefined, ...hooks },
  });
  return {
    peer,
    stdin,
    say: (message) => void stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    heard: () => new Promise((resolve) => setImmediate(() => setImmediate(resolve))),
    written: () => {
      const lines = String(stdin.read() ?? '').split('\n');
      return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
    },
  };
}

function send({ peer }: Opened, method: string): Noted {
  const request = new Noted(method);
  peer.send(request);
  return request;
}

test('a response settles its request once; late and foreign responses are ignored', async () => {
  const opened = open();
  const [first, second] = [send(opened, 'a'), send(opened, 'b')];
  await opened.heard();
  opened.say({ id: second.id, result: { of: 'b' } });
  for (const id of [second.id, 999_999, -1, 'x', `${first.id}.0`, null]) opened.say({ id, result: { late: true } });
  await opened.heard();
  expect([first.outcomes, second.outcomes]).toEqual([[], [{ result: { of: 'b' } }]]);
  opened.say({ id: String(first.id), error: { code: 5, message: 'no' } });
  await opened.heard();
  expect(first.outcomes).toEqual([{ code: 5 }]);
});

test('withdraws an unwritten request, and cancels a written one at the server', async () => {
  const opened = open();
  const written = send(opened, 'written');
  await opened.heard();
  const withdrawn = send(opened, 'withdrawn');
  opened.peer.cancel(withdrawn, new Error('no'));
  opened.peer.cancel(written, new Error('enough'));
  await opened.heard();
  const messages = opened.written();
  expect(messages.map(({ method }) => method)).toEqual(['written', 'notifications/cancelled']);
  expect(messages[1]).toMatchObject({ params: { requestId: written.id, reason: 'enough' } });
  opened.say({ id: written.id, result: {} });
  await opened.heard();
  expect([written.outcomes, withdrawn.outcomes]).toEqual([[], []]);
});

test('reports to each request at the end whether the server may have it', async () => {
  const opened = open();
  const written = send(opened, 'written');
  await opened.heard();
  const staged = send(opened, 'staged');
  opened.peer.close();
  expect([written.outcomes, staged.outcomes]).toEqual([['lost'], ['unsent']]);
  expect(() => send(opened, 'late')).toThrow('before the request was sent');
  await opened.peer.closed;
  expect(opened.peer.ended.reason).toMatchObject({ name: 'SessionLostError' });
});

test('writes pending notifications before it closes', async () => {
  const opened = open();
  const told = opened.peer.notify('notifications/cancelled', { requestId: 1 });
  opened.peer.close();
  await told;
  expect(opened.written()).toMatchObject([{ method: 'notifications/cancelled' }]);
});

test('responds once to a server request, unless the server cancelled it', async () => {
  const signals: AbortSignal[] = [];
  const opened = open({
    answer: ({ method }, signal) => {
      signals.push(signal);
      if (method === 'refused') return Promise.reject(Object.assign(new Error('no'), { code: 7, data: { a: 1 } }));
      if (method === 'unwritable') return Promise.resolve({ big: 1n });
      return method === 'hangs' ? new Promise(() => undefined) : Promise.resolve({ answered: method });
    },
  });
  opened.say({ id: 'p', method: 'ping' });
  opened.say({ id: 1, method: 'asked' });
  opened.say({ id: 2, method: 'refused' });
  opened.say({ id: 3, method: 'unwritable' });
  opened.say({ id: 4, method: 'hangs' });
  opened.say({ id: 1.5, method: 'asked' });
  opened.say({ id: 5, method: 'asked', params: [] });
  await opened.heard();
  opened.say({ method: 'notifications/cancelled', params: { requestId: 4, reason: 'changed my mind' } });
  await opened.heard();
  expect(signals.at(-1)?.reason).toBe('changed my mind');
  const answers = [...opened.written()].sort((a, b) => String(a.id).localeCompare(String(b.id)));
  expect(answers).toEqual([
    { jsonrpc: '2.0', id: 1, result: { answered: 'asked' } },
    { jsonrpc: '2.0', id: 2, error: { code: 7, message: 'no', data: { a: 1 } } },
    { jsonrpc: '2.0', id: 3, error: { code: -32_603, message: expect.stringContaining('BigInt') } },
    { jsonrpc: '2.0', id: 'p', result: {} },
  ]);
});

test('delivers progress to its request, and to listeners with their own token', async () => {
  const opened = open();
  const request = send(opened, 'a');
  const heard: unknown[] = [];
  const listening = opened.peer.listenToProgress(({ progress }) => void heard.push(progress));
  await opened.heard();
  for (const progressToken of [request.id, String(request.id), listening.token, 77_777])
    opened.say({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
  await opened.heard();
  listening.stop();
  opened.say({ method: 'notifications/progress', params: { progressToken: listening.token, progress: 2 } });
  await opened.heard();
  expect([request.outcomes, heard]).toEqual([[{ progress: 1 }, { progress: 1 }], [1]]);
});

test('limits the queued responses to a server that does not read', async () => {
  const text = 'x'.repeat(100_000);
  const opened = open(
    { answer: async () => ({ text }) },
    new PassThrough({ highWaterMark: 1_000 }), // it is full with the first answer
  );
  for (let id = 0; id < 1_000; id += 1) opened.say({ id, method: 'roots/list' });
  await opened.heard();
  const request = send(opened, 'ping');
  const withdrawn = send(opened, 'tools/call');
  await opened.heard();
  opened.peer.cancel(withdrawn, new Error('no'));
  expect(opened.stdin.writableLength + opened.stdin.readableLength).toBeLessThan(300_000);
  expect(request.isSent).toBe(false);
  let read = '';
  opened.stdin.on('data', (chunk: Buffer) => {
    read += chunk.toString();
  });
  while (!request.isSent) await opened.heard();
  await opened.heard();
  expect(read.length).toBeLessThan(9_000_000);
  const messages = read
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(messages.map(({ method }) => method).filter(Boolean)).toEqual(['ping']);
  expect(messages[5].id).toBe(5); // the first ones, in their order
});

test('throws for params that cannot be written, and keeps no state', async () => {
  const opened = open();
  const request = new Noted('a');
  request.paramsFor = () => ({ big: 1n });
  expect(() => opened.peer.send(request)).toThrow(TypeError);
  await opened.peer.idle();
  expect(request.outcomes).toEqual([]);
});
