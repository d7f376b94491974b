import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  Assembly,
  CHUNK_HEAD_BYTES,
  CHUNKS_AHEAD,
  ChunkSender,
  encodeChunk,
  readChunk,
} from '../../../src/calls/wire/chunks.js';
import { FleetError } from '../../../src/errors.js';

/** What a test sends; none of it is empty, for that needs no chunks. */
const anyBytes = fc.uint8Array({ minLength: 1, maxLength: 300 });
const anyMessageBytes = fc.integer({ min: CHUNK_HEAD_BYTES + 1, max: 60 });

test('a payload in chunks arrives unchanged, and no message exceeds the limit of the bus', () => {
  fc.assert(
    fc.property(anyBytes, anyMessageBytes, (bytes, maxMessageBytes) => {
      const assembly = new Assembly(bytes.byteLength);
      const waiting: Uint8Array[] = [];
      const sender = new ChunkSender(bytes, maxMessageBytes, (message) => waiting.push(message.slice()));
      let whole: Uint8Array | undefined;
      sender.allow(CHUNKS_AHEAD);
      for (let message = waiting.shift(); message !== undefined; message = waiting.shift()) {
        expect(message.byteLength).toBeLessThanOrEqual(maxMessageBytes);
        expect(waiting.length).toBeLessThan(CHUNKS_AHEAD);
        const chunk = readChunk(message);
        const added = chunk && assembly.add(chunk);
        whole = added?.whole;
        if (added?.isCreditDue) sender.allow(assembly.credit);
      }
      expect(sender.isDone).toBe(true);
      expect(whole).toEqual(bytes);
    }),
  );
});

test('nothing is sent beyond the credit', () => {
  const sent: number[] = [];
  const sender = new ChunkSender(new Uint8Array(100), CHUNK_HEAD_BYTES + 1, (message) =>
    sent.push(readChunk(message)?.index ?? -1),
  );
  sender.allow(2);
  sender.allow(2);
  sender.allow(0);
  expect(sent).toEqual([0, 1]);
  sender.allow(3);
  expect(sent).toEqual([0, 1, 2]);
  sender.allow(1_000);
  expect(sent).toHaveLength(100);
});

test('a chunk is read as it was written', () => {
  fc.assert(
    fc.property(anyBytes, fc.integer({ min: 0, max: 2 ** 32 - 1 }), (bytes, index) => {
      expect(readChunk(encodeChunk({ index, bytes }))).toEqual({ index, bytes });
    }),
  );
});

test('a chunk that lies within a longer buffer is read from where it lies', () => {
  const message = encodeChunk({ index: 5, bytes: new Uint8Array([1, 2]) });
  const buffer = new Uint8Array(20);
  buffer.set(message, 7);
  expect(readChunk(buffer.subarray(7, 7 + message.byteLength))).toEqual({ index: 5, bytes: new Uint8Array([1, 2]) });
});

test('other messages and empty chunks are no chunks', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: CHUNK_HEAD_BYTES }), (message) => {
      expect(readChunk(message)).toBeUndefined();
    }),
  );
  expect(readChunk(new TextEncoder().encode('{"v":1,"tool":"x"}'))).toBeUndefined();
});

test.each([
  ['that comes twice', [0, 0]],
  ['that comes before another one', [1]],
  ['before which one was lost', [0, 2]],
])('a chunk %s is not taken', (_, indexes) => {
  const assembly = new Assembly(10);
  const addAll = () => indexes.map((index) => assembly.add({ index, bytes: new Uint8Array(1) }));
  expect(addAll).toThrow(FleetError);
  expect(addAll).toThrow(/Expected part/);
});

test('bytes beyond the announced size are rejected', () => {
  const assembly = new Assembly(3);
  assembly.add({ index: 0, bytes: new Uint8Array(2) });
  expect(() => assembly.add({ index: 1, bytes: new Uint8Array(2) })).toThrow(/3 bytes were announced/);
});
