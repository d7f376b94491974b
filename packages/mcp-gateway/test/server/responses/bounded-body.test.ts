import * as fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { BoundedBody } from '../../../src/server/responses/bounded-body.js';

afterEach(() => void vi.useRealTimers());

function open({ maxQueuedBytes = 10_000, maxStallMs = 60_000, isEventStream = true } = {}) {
  let source!: ReadableStreamDefaultController<Uint8Array>; // given by `start`, which runs at once
  const cancelled: unknown[] = [];
  const dropped: Error[] = [];
  let ends = 0;
  const readable = new ReadableStream<Uint8Array>({
    start: (controller) => {
      source = controller;
    },
    cancel: (reason) => void cancelled.push(reason),
  });
  const body = new BoundedBody(
    readable,
    { maxQueuedBytes, maxStallMs, isEventStream },
    { onEnd: () => ends++, onDropped: (reason) => dropped.push(reason) },
  );
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { source, cancelled, dropped, ends: () => ends, reader: body.stream.getReader(), settled };
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let next = await reader.read(); !next.done; next = await reader.read()) pieces.push(next.value);
  return Buffer.concat(pieces);
}

test('delivers all data in order, at any relative speed', async () => {
  const piece = fc.uint8Array({ minLength: 1, maxLength: 50 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(piece, fc.constant('read' as const)), { maxLength: 60 }), async (steps) => {
      const { source, reader, ends } = open({ isEventStream: false, maxQueuedBytes: 1_000_000 });
      const written: Uint8Array[] = [];
      const reads: ReturnType<typeof reader.read>[] = [];
      for (const step of steps) {
        if (step === 'read') {
          reads.push(reader.read());
          await Promise.resolve();
        } else {
          written.push(step);
          source.enqueue(step);
        }
      }
      source.close();
      const early = (await Promise.all(reads)).map(({ value }) => value ?? new Uint8Array());
      expect(Buffer.concat([...early, await readAll(reader)])).toEqual(Buffer.concat(written));
      expect(ends()).toBe(1);
    }),
  );
});

describe('pending data', () => {
  test('is bounded', async () => {
    const { source, reader, cancelled, dropped, ends, settled } = open({ maxQueuedBytes: 10_000 });
    for (let written = 0; written < 12_000; written += 1_000) source.enqueue(new Uint8Array(1_000));
    await settled();
    expect(dropped.map(({ message }) => message)).toEqual([
      'The client does not read: more than 10000 bytes are pending',
    ]);
    expect(cancelled).toEqual(dropped);
    expect(ends()).toBe(1);
    await expect(reader.read()).rejects.toBe(dropped[0]);
  });

  test('is bounded for small pieces, too', async () => {
    const { source, dropped, settled } = open({ maxQueuedBytes: 10_000 });
    for (let count = 0; count < 100; count++) source.enqueue(new Uint8Array(1));
    await settled();
    expect(dropped).toHaveLength(1);
  });

  test('may be one larger message, which is delivered piece by piece', async () => {
    const { source, reader, dropped, ends } = open({ maxQueuedBytes: 10_000 });
    const large = new Uint8Array(1_000_000).map((_, index) => index % 251);
    source.enqueue(new Uint8Array([1]));
    source.enqueue(large);
    source.close();
    expect(Buffer.concat([new Uint8Array([1]), large]).equals(await readAll(reader))).toBe(true);
    expect(dropped).toEqual([]);
    expect(ends()).toBe(1);
  });

  test('gets no keep-alives added', async () => {
    const { source, reader, dropped, settled } = open({ maxQueuedBytes: 1_000 });
    const [event, life] = ['data: 1\n\n', ': keepalive\n\n'].map((text) => new TextEncoder().encode(text));
    source.enqueue(event as Uint8Array);
    for (let count = 0; count < 100; count++) source.enqueue(life as Uint8Array);
    await settled();
    expect(dropped).toEqual([]);
    expect((await reader.read()).value).toEqual(event);
    const next = reader.read();
    source.enqueue(life as Uint8Array);
    expect((await next).value).toEqual(life);
  });

  test('does not wait forever', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { source, reader, dropped, cancelled } = open({ maxStallMs: 5_000 });
    source.enqueue(new Uint8Array(3));
    await vi.advanceTimersByTimeAsync(4_000);
    await reader.read();
    await vi.advanceTimersByTimeAsync(60_000); // nothing waits
    source.enqueue(new Uint8Array(3));
    await vi.advanceTimersByTimeAsync(4_999);
    expect(dropped).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(dropped.map(({ message }) => message)).toEqual([
      'The client does not read: it read nothing for 5000 milliseconds',
    ]);
    expect(cancelled).toEqual(dropped);
    await expect(reader.read()).rejects.toBe(dropped[0]);
  });

  test('may wait for long if some of it is read now and then', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { source, reader, dropped } = open({ maxStallMs: 5_000 });
    source.enqueue(new Uint8Array(10 * 256 * 1024));
    source.close();
    for (let count = 0; count < 10; count++) {
      await vi.advanceTimersByTimeAsync(4_000);
      expect((await reader.read()).value).toHaveLength(256 * 1024);
    }
    expect((await reader.read()).done).toBe(true);
    expect(dropped).toEqual([]);
  });
});

test('a reader that cancels ends the source, once', async () => {
  const { reader, cancelled, dropped, ends } = open();
  const pending = reader.read();
  await reader.cancel('enough');
  expect(await pending).toEqual({ done: true, value: undefined });
  expect(cancelled).toEqual(['enough']);
  expect([dropped, ends()]).toEqual([[], 1]);
});

test('a failure of the source reaches the reader', async () => {
  const { source, reader, ends } = open();
  source.error(new Error('broken'));
  await expect(reader.read()).rejects.toThrow('broken');
  expect(ends()).toBe(1);
});
