import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StderrTail } from '../../../src/process/stderr/stderr-tail.js';

const maxLineLength = 4_096;
const maxTailLength = 64 * 1_024;

function tailOf(chunks: readonly Buffer[]): { tail: StderrTail; told: string[] } {
  const told: string[] = [];
  const tail = new StderrTail({ onLine: (line) => told.push(line) });
  for (const chunk of chunks) tail.write(chunk);
  tail.end();
  return { tail, told };
}

function chunksOf(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

test('however the stream is cut, the lines are the same', () => {
  const bytes = fc
    .array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constant('x'.repeat(5_000))))
    .map((lines) => Buffer.from(lines.join('\n')));
  fc.assert(
    fc.property(bytes, fc.integer({ min: 1, max: 3_000 }), (stream, size) => {
      expect(tailOf(chunksOf(stream, size)).told).toEqual(tailOf([stream]).told);
    }),
  );
});

test('keeps at most 64 KiB, in lines of at most 4 KiB', () => {
  const anything = fc.array(
    fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.nat({ max: 20_000 }).map((length) => Buffer.alloc(length, 'y')),
      fc.nat({ max: 20_000 }).map((length) => Buffer.alloc(length, '\n')),
    ),
  );
  fc.assert(
    fc.property(anything, (chunks) => {
      const { tail, told } = tailOf(chunks);
      const lines = tail.lines();
      expect(lines.join('\n').length).toBeLessThanOrEqual(maxTailLength);
      expect(lines.join('\n')).toBe(told.slice(told.length - lines.length).join('\n'));
      expect(Math.max(0, ...lines.map(({ length }) => length))).toBeLessThanOrEqual(maxLineLength + 1);
    }),
    { numRuns: 50 },
  );
});

test('the newest lines are kept, and a line that was cut says so', () => {
  const { tail } = tailOf([Buffer.from(`first\n${'x'.repeat(10_000)}\n${'line\n'.repeat(20_000)}last`)]);
  expect(tail.lines()).toHaveLength(13_107);
  expect(tail.lines().at(-1)).toBe('last');
  expect(tailOf([Buffer.from(`${'x'.repeat(10_000)}\n`)]).told).toEqual([`${'x'.repeat(4_096)}…`]);
});

test('bytes that are no text become replacement characters, and zeros stay', () => {
  expect(tailOf([Buffer.from([0x61, 0xff, 0xfe, 0x00, 0x62, 0x0a])]).told).toEqual(['a\uFFFD\uFFFD\u0000b']);
});

test('stores an unfinished line at once and reports it at the end', () => {
  const told: string[] = [];
  const tail = new StderrTail({ onLine: (line) => told.push(line) });
  tail.write(Buffer.from('done\r\nnot do'));
  expect(tail.lines()).toEqual(['done', 'not …']);
  expect(told).toEqual(['done']);
  tail.end();
  expect(told).toEqual(['done', 'not do']);
});

test('a flood of empty lines costs no more than other lines', () => {
  // 64 Ki lines are remembered then; moving them all for each new one would take more than a minute.
  let told = 0;
  const tail = new StderrTail({
    onLine: () => {
      told += 1;
    },
  });
  const chunk = Buffer.alloc(64 * 1_024, '\n');
  for (let written = 0; written < 128; written += 1) tail.write(chunk);
  expect(told).toBe(128 * chunk.length);
  expect(tail.lines()).toHaveLength(maxTailLength);
});

describe('a secret', () => {
  const secret = 'sk-0123456789';
  const redact = (line: string): string => line.replaceAll(secret, '***');

  function told(chunks: readonly Buffer[]): { tail: StderrTail; lines: string[] } {
    const lines: string[] = [];
    const tail = new StderrTail({ onLine: (line) => lines.push(line), redact });
    for (const chunk of chunks) tail.write(chunk);
    return { tail, lines };
  }

  test('is redacted wherever the stream is split', () => {
    const word = fc.constantFrom('a', ' ', '\n', '\r\n', secret, 'ü', 'x'.repeat(4_090), 'sk-');
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), fc.integer({ min: 1, max: 5_000 }), (words, size) => {
        const { tail, lines } = told(chunksOf(Buffer.from(words.join('')), size));
        tail.end();
        for (const line of [...lines, ...tail.lines()]) expect(line).not.toContain(secret.slice(0, 6));
      }),
    );
  });

  test('is not shown by halves while its line is open', () => {
    const { tail, lines } = told([Buffer.from(`token: ${secret.slice(0, 8)}`)]);
    expect(tail.lines()).toEqual(['token: …']);
    for (const cut of ['\r', '\v', '\u2028', '\ufeff'])
      expect(told([Buffer.from(`token: ${secret.slice(0, 8)}${cut}${secret.slice(8, 10)}`)]).tail.lines()).toEqual([
        'token: …',
      ]);
    tail.write(Buffer.from(`${secret.slice(8)}\n`));
    expect(tail.lines()).toEqual(['token: ***']);
    expect(lines).toEqual(['token: ***']);
  });

  test('is not shown by halves where a long line is cut', () => {
    for (let before = 4_080; before <= 4_100; before += 1) {
      const { lines } = told([Buffer.from(`${'x'.repeat(before)}${secret}${'y'.repeat(9_000)}\n`)]);
      expect(lines[0]).not.toContain('sk-');
    }
    // Many secrets shrink the line so far that what lay behind the cut would come into sight.
    const { lines } = told([Buffer.from(`${secret.repeat(1_000)}\n`)]);
    expect(lines[0]).not.toContain('sk-');
  });
});
