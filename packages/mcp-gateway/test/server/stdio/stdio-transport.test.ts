import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { createRegistry, preload } from '@x/mcp-registry';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { serveRegistry } from '../../../src/index.js';
import { StdioOutput } from '../../../src/server/stdio/stdio-transport.js';
import { initialize } from '../../helpers/http-requests.js';

/** Accepts written data on command. */
function openStream() {
  const taken: string[] = [];
  const waiting: (() => void)[] = [];
  const stream = new Writable({
    highWaterMark: 10,
    write(chunk: Buffer, _encoding, done) {
      waiting.push(() => {
        taken.push(chunk.toString());
        done();
      });
    },
  });
  const take = async () => {
    waiting.shift()?.();
    await new Promise<void>((resolve) => process.nextTick(resolve));
  };
  return { stream, taken, take };
}

function open(stream: Writable, bounds: { maxQueuedBytes?: number; maxStallMs?: number } = {}) {
  const failures: string[] = [];
  const output = new StdioOutput(stream, { maxQueuedBytes: 1_000_000, maxStallMs: 1_000, ...bounds }, (reason) =>
    failures.push(reason.message),
  );
  return { output, failures };
}

describe('output', () => {
  test('arrives whole and in order, of any size', async () => {
    const stream = new PassThrough();
    const { output } = open(stream, { maxQueuedBytes: 10_000_000 });
    const texts = [
      'a'.repeat(1_000_000),
      'é\n',
      'b'.repeat(600_000),
      ...Array.from({ length: 3_000 }, (_, n) => `${n};`),
    ];
    const read = (async () => {
      let text = '';
      for await (const chunk of stream.setEncoding('utf8')) text += chunk;
      return text;
    })();
    for (const text of texts) output.write(text);
    await output.end(60_000);
    stream.end();
    expect(await read).toBe(texts.join(''));
  });

  test('adds no listener while it waits, and does not overfill the stream', () => {
    const { stream } = openStream();
    const { output } = open(stream);
    for (let count = 0; count < 100; count += 1) output.write('a line of text\n');
    expect(stream.eventNames().filter((name) => stream.listenerCount(name) > 0)).toEqual([]);
    expect(stream.writableLength).toBe(15);
  });
});

describe('a client that does not read', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  test('is dropped after the time limit, with its pending data', async () => {
    const { stream, take, taken } = openStream();
    const { output, failures } = open(stream);
    output.write('first');
    output.write('second');
    output.write('third');
    await vi.advanceTimersByTimeAsync(999);
    expect(failures).toEqual([]);
    await take();
    await vi.advanceTimersByTimeAsync(999);
    expect(failures).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(failures).toEqual(['The client does not read: it read nothing for 1000 milliseconds']);
    output.write('fourth');
    await take();
    await take();
    expect(taken).toEqual(['first', 'second']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is dropped with too many pending bytes; a single message may be larger', () => {
    const { stream } = openStream();
    const { output, failures } = open(stream, { maxQueuedBytes: 1_000 });
    output.write('x'.repeat(5_000));
    expect(failures).toEqual([]);
    output.write('one more');
    output.write('and another');
    expect(failures).toEqual(['The client does not read: more than 1000 bytes are pending']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('has a grace period at the end, and gets only what it reads in it', async () => {
    const { stream, take, taken } = openStream();
    const { output, failures } = open(stream);
    for (const text of ['the first line', 'the second line', 'the third line']) output.write(text);
    const ended = vi.fn();
    output.end(2_000).then(ended);
    output.end(2_000).then(ended);
    await take();
    await vi.advanceTimersByTimeAsync(1_999);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toHaveBeenCalledTimes(2);
    await take();
    await take();
    expect(taken).toEqual(['the first line', 'the second line']);
    expect(failures).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('does not delay the end if it has read everything', async () => {
    const { stream, take } = openStream();
    const { output } = open(stream);
    output.write('all');
    const ended = output.end(2_000);
    await take();
    await ended;
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('a broken stream is reported once, with its error', async () => {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done(new Error('write EPIPE')) });
  stream.on('error', () => undefined);
  const { output, failures } = open(stream);
  output.write('one');
  output.write('two');
  await once(stream, 'error');
  await output.end(60_000);
  expect(failures).toEqual(['write EPIPE']);
});

describe('a connection', () => {
  // A first call that loads its code would still do so when the connection ends.
  beforeAll(preload);

  const stuck = () => new Writable({ write: () => undefined });

  /** A client that asks and never reads. */
  async function serveUnread(options: { maxQueuedBytes?: number; maxStallMs?: number } = {}) {
    const registry = createRegistry();
    const called = new Promise<AbortSignal>((resolve) => {
      registry.register({ name: 'flood', description: '' }, async (_, { signal }) => {
        resolve(signal);
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      });
    });
    const errors: string[] = [];
    const stdin = new PassThrough();
    const onError = ({ message }: Error) => errors.push(message);
    const serving = serveRegistry(registry, { stdin, stdout: stuck(), onError, ...options });
    const send = (message: object) => stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    send(initialize());
    send({ method: 'notifications/initialized' });
    send({ id: 1, method: 'tools/call', params: { name: 'flood', arguments: {} } });
    const signal = await called;
    return { serving, send, errors, signal, stdin };
  }

  test('of a client that does not read ends, with its calls', async () => {
    const { serving, errors, signal } = await serveUnread({ maxStallMs: 20 });
    await serving.closed;
    expect(signal.aborted).toBe(true);
    expect([...new Set(errors)]).toEqual(['The client does not read: it read nothing for 20 milliseconds']);
  });

  test('with too many pending bytes ends', async () => {
    const { serving, send, errors, signal } = await serveUnread({ maxQueuedBytes: 10_000 });
    for (let id = 2; id < 1_000; id += 1) send({ id, method: 'ping' });
    await serving.closed;
    expect(signal.aborted).toBe(true);
    expect([...new Set(errors)]).toEqual(['The client does not read: more than 10000 bytes are pending']);
  });

  test('ends with its client, even with unread data', async () => {
    const { serving, stdin, errors } = await serveUnread();
    stdin.end();
    await serving.closed;
    await serving.close();
    expect(errors).toEqual([]);
  });

  test.each([
    [{ maxQueuedBytes: 0 }, 'maxQueuedBytes must be a whole number'],
    [{ maxStallMs: 1.5 }, 'maxStallMs must be a whole number'],
  ])('cannot be bounded by %j', (options, reason) => {
    const streams = { stdin: new PassThrough(), stdout: stuck() };
    expect(() => serveRegistry(createRegistry(), { ...streams, ...options })).toThrow(reason);
  });
});
