import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { LineScanner, type ScannedLine } from '../../src/transport/line-scanner.js';

afterEach(() => void vi.restoreAllMocks());

const maxLineBytes = 2_048;

/** Lines around the limit and far from it, of one, two and four bytes a character. */
const line = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.replaceAll(/[\r\n]/g, '')),
  fc.integer({ min: maxLineBytes - 3, max: maxLineBytes + 3 }).map((length) => 'x'.repeat(length)),
  fc.integer({ min: 0, max: 20_000 }).map((length) => 'é'.repeat(length)),
);
const stream = fc.tuple(fc.array(line, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'));
const cuts = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 20 });

function scanInChunks(bytes: Buffer, sizes: readonly number[]): ScannedLine[] {
  const scanner = new LineScanner({ maxLineBytes });
  const lines: ScannedLine[] = [];
  for (let start = 0, index = 0; start < bytes.length; index += 1) {
    const end = start + (sizes[index % sizes.length] as number);
    lines.push(...scanner.scan(bytes.subarray(start, end)));
    start = end;
  }
  return lines;
}

test('however the stream is cut, the lines are the same', () => {
  fc.assert(
    fc.property(stream, cuts, cuts, ([lines, end], some, others) => {
      const bytes = Buffer.from(lines.map((text) => text + end).join(''));
      expect(scanInChunks(bytes, some)).toEqual(scanInChunks(bytes, others));
      expect(scanInChunks(bytes, some)).toEqual(scanInChunks(bytes, [bytes.length || 1]));
    }),
  );
});

test('a line within the limit comes out as it went in, a longer one by its two ends', () => {
  fc.assert(
    fc.property(stream, cuts, ([lines, end], sizes) => {
      const scanned = scanInChunks(Buffer.from(lines.map((text) => text + end).join('')), sizes);
      expect(scanned).toHaveLength(lines.length);
      for (const [index, text] of lines.entries()) {
        // Its end was read as part of the line by then, if it is a carriage return.
        const bytes = Buffer.byteLength(text) + (end === '\r\n' ? 1 : 0);
        const found = scanned[index] as ScannedLine;
        if (bytes <= maxLineBytes) {
          expect(found).toEqual({ type: 'line', text });
          continue;
        }
        expect(found).toMatchObject({ type: 'oversized', bytes });
        if (found.type !== 'oversized') continue;
        expect(text.startsWith(found.head.replace(/\uFFFD+$/, '').trimEnd())).toBe(true);
        expect(text.endsWith(found.tail.replace(/^\uFFFD+/, '').trimEnd())).toBe(true);
        expect(Buffer.byteLength(found.head)).toBeGreaterThanOrEqual(1_020);
        expect(Buffer.byteLength(found.tail)).toBeGreaterThanOrEqual(1_020);
      }
    }),
  );
});

test('a line without an end is not a line yet', () => {
  const scanner = new LineScanner({ maxLineBytes });
  expect(scanner.scan(Buffer.from('half'))).toEqual([]);
  expect(scanner.scan(Buffer.from(' a line\n'))).toEqual([{ type: 'line', text: 'half a line' }]);
});

test.each([1, 7, 1_000, 65_536])('a long line in chunks of %i bytes is copied a bounded number of times', (size) => {
  const concat = vi.spyOn(Buffer, 'concat');
  const total = 400_000;
  const scanner = new LineScanner({ maxLineBytes: 70_000 });
  const chunk = Buffer.alloc(size, 'x');
  for (let sent = 0; sent < total; sent += size) scanner.scan(chunk);
  expect(scanner.scan(Buffer.from('\n'))).toMatchObject([{ type: 'oversized' }]);

  const copied = concat.mock.results.reduce((sum, { value }) => sum + (value as Buffer).length, 0);
  expect(copied).toBeLessThan(2 * total);
  const largest = Math.max(...concat.mock.results.map(({ value }) => (value as Buffer).length));
  expect(largest).toBeLessThanOrEqual(70_000 + size);
});

test('a long line within the limit uses few buffers, however small its pieces are', () => {
  const concat = vi.spyOn(Buffer, 'concat');
  const scanner = new LineScanner({ maxLineBytes: 1_000_000 });
  const piece = Buffer.from('x');
  for (let sent = 0; sent < 500_000; sent += 1) scanner.scan(piece);
  expect(scanner.scan(Buffer.from('\n'))).toEqual([{ type: 'line', text: 'x'.repeat(500_000) }]);
  expect(concat).toHaveBeenCalledTimes(1);
  expect(concat.mock.calls[0]?.[0].length).toBeLessThan(40);
});
