import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { ByteBuffer } from '../../src/transport/byte-buffer.js';

afterEach(() => void vi.restoreAllMocks());

const anyPiece = fc
  .tuple(fc.nat(255), fc.oneof(fc.nat(40), fc.nat(40_000)))
  .map(([byte, length]) => Buffer.alloc(length, byte));

test('returns all bytes in order, for any pieces', () => {
  fc.assert(
    fc.property(fc.array(anyPiece, { maxLength: 30 }), fc.array(anyPiece, { maxLength: 5 }), (first, second) => {
      const held = new ByteBuffer();
      for (const pieces of [first, second]) {
        for (const piece of pieces) held.add(piece);
        const whole = Buffer.concat(pieces);
        expect(held.length).toBe(whole.length);
        expect(held.take().equals(whole)).toBe(true);
        expect(held.length).toBe(0);
      }
    }),
  );
});

test('later changes of a small piece by its sender have no effect', () => {
  const held = new ByteBuffer();
  const piece = Buffer.from('abc');
  held.add(piece);
  piece.fill('x');
  expect(held.take().toString()).toBe('abc');
});

test.each([1, 2, 16_383])('a megabyte in pieces of %i bytes uses few buffers', (size) => {
  const allocate = vi.spyOn(Buffer, 'allocUnsafeSlow');
  const concat = vi.spyOn(Buffer, 'concat');
  const held = new ByteBuffer();
  const piece = Buffer.alloc(size, 'x');
  for (let added = 0; added < 1_048_576; added += size) held.add(piece);
  const whole = held.take();
  expect(whole.length).toBeGreaterThanOrEqual(1_048_576);
  expect(allocate.mock.calls.length).toBeLessThanOrEqual(66);
  expect(concat).toHaveBeenCalledTimes(1);
  expect(concat.mock.calls[0]?.[0].length).toBeLessThanOrEqual(66);
});

test('large pieces between small ones cost no more than themselves', () => {
  const allocate = vi.spyOn(Buffer, 'allocUnsafeSlow');
  const held = new ByteBuffer();
  for (let round = 0; round < 50; round += 1) {
    held.add(Buffer.alloc(16_384));
    held.add(Buffer.alloc(1));
  }
  const allocated = allocate.mock.calls.reduce((sum, [bytes]) => sum + bytes, 0);
  expect(allocated).toBeLessThanOrEqual(held.length);
});
