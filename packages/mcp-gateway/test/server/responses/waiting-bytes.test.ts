import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PIECE_OVERHEAD_BYTES } from '../../../src/server/message-sizes.js';
import { type Waiting, WaitingBytes } from '../../../src/server/responses/waiting-bytes.js';

function open(limits = { perCaller: 1_000_000, all: 2_500_000 }) {
  const clock = { now: 0 };
  const ledger = new WaitingBytes(limits, () => clock.now);
  const reader = (caller: string) => {
    const reasons: string[] = [];
    const waiting = ledger.open(caller);
    waiting.onEviction(({ message }) => reasons.push(message));
    return { waiting, reasons };
  };
  return { clock, ledger, reader };
}

describe('pending bytes of a caller', () => {
  test('may exceed the limit by one message', () => {
    const { ledger, reader } = open();
    const { waiting } = reader('bob');
    expect(waiting.tryAdd(10_000_000)).toBe(true);
    expect(waiting.tryAdd(1)).toBe(false);
    expect(ledger.bytesOf('bob')).toBe(10_000_000 + PIECE_OVERHEAD_BYTES);
  });

  test('evict the stream with the longest time without progress', () => {
    const { clock, ledger, reader } = open();
    const [first, second, third] = [reader('bob'), reader('bob'), reader('bob')];
    first.waiting.tryAdd(500_000);
    clock.now = 10;
    second.waiting.tryAdd(500_000);
    clock.now = 2_000;
    first.waiting.recordProgress();
    expect(third.waiting.tryAdd(100_000)).toBe(true);
    expect([first.reasons, second.reasons.length, third.reasons]).toEqual([[], 1, []]);
    expect(second.reasons[0]).toMatch(/^The client does not read: \d+ bytes are pending for its caller/);
    expect(ledger.state.evicted).toBe(1);
  });

  test('refuse a new message while every stream progressed within a second', () => {
    const { clock, reader } = open();
    const [first, second] = [reader('bob'), reader('bob')];
    first.waiting.tryAdd(2_000_000);
    clock.now = 999;
    expect(second.waiting.tryAdd(20_000)).toBe(false);
    clock.now = 1_000;
    expect(second.waiting.tryAdd(20_000)).toBe(true);
    expect(first.reasons).toHaveLength(1);
  });

  test('admit a small message to a stream without pending bytes', () => {
    const { reader } = open();
    const [large, small] = [reader('bob'), reader('bob')];
    large.waiting.tryAdd(2_000_000);
    expect([small.waiting.tryAdd(16_384), small.waiting.tryAdd(1)]).toEqual([true, false]);
    expect(large.reasons).toEqual([]);
  });

  test('evict nothing of another caller', () => {
    const { clock, reader } = open();
    const others = reader('alice');
    others.waiting.tryAdd(900_000);
    clock.now = 5_000;
    const [first, second] = [reader('bob'), reader('bob')];
    first.waiting.tryAdd(2_000_000);
    expect(second.waiting.tryAdd(20_000)).toBe(false);
    expect(others.reasons).toEqual([]);
  });

  test('evict from the caller with the most bytes at the total limit, at once', () => {
    const { reader } = open({ perCaller: 2_000_000, all: 2_500_000 });
    const [heavy, light, late] = [reader('bob'), reader('carol'), reader('alice')];
    heavy.waiting.tryAdd(1_500_000);
    light.waiting.tryAdd(1_100_000);
    expect(late.waiting.tryAdd(100_000)).toBe(true);
    expect([heavy.reasons.length, light.reasons, late.reasons]).toEqual([1, [], []]);
  });

  test('evict copies before a stream, and never a stream for a copy', () => {
    const { clock, ledger, reader } = open();
    const forgotten: string[] = [];
    const kept = (name: string) => ledger.open('bob').onEviction(() => forgotten.push(name), { isKept: true });
    const [stream, old, young] = [reader('bob'), kept('old'), kept('young')];
    stream.waiting.tryAdd(200_000);
    old.tryAdd(900_000);
    clock.now = 60_000;
    expect(young.tryAdd(100_000)).toBe(true);
    expect(forgotten).toEqual(['old']);
    stream.waiting.tryAdd(700_000);
    expect(stream.waiting.tryAdd(100_000)).toBe(true);
    expect(forgotten).toEqual(['old', 'young']);
    expect(old.tryAdd(1)).toBe(false);
    expect(stream.reasons).toEqual([]);
  });

  test('leave room for a new request if only copies are at the limit', () => {
    const { ledger, reader } = open();
    const forgotten: string[] = [];
    for (const name of ['old', 'young']) {
      ledger
        .open('bob')
        .onEviction(() => forgotten.push(name), { isKept: true })
        .tryAdd(600_000);
    }
    expect(ledger.open('bob').hasRoom).toBe(true);
    expect(forgotten).toEqual(['old']);
    const unread = reader('bob');
    unread.waiting.tryAdd(2_000_000);
    expect([ledger.open('bob').hasRoom, unread.reasons]).toEqual([false, []]);
  });

  test('count shared memory once', () => {
    const { ledger, reader } = open();
    const message = new Uint8Array(3_000);
    const streams = Array.from({ length: 10 }, (_, index) => reader(index < 5 ? 'bob' : 'alice'));
    for (const { waiting } of streams) expect(waiting.tryAdd(message.subarray(0, 100))).toBe(true);
    expect(ledger.bytesOf('bob')).toBe(3_000 + 5 * PIECE_OVERHEAD_BYTES);
    expect(ledger.state.bytes).toBe(3_000 + 10 * PIECE_OVERHEAD_BYTES);
    for (const { waiting } of streams) waiting.close();
    expect(ledger.state).toEqual({ bytes: 0, callers: 0, evicted: 0 });
  });
});

test('after any sequence of additions and releases, limits hold, others are unaffected and nothing is left', () => {
  const limits = { perCaller: 500_000, all: 1_200_000 };
  const small = 10 * (16_384 + 2 * PIECE_OVERHEAD_BYTES);
  const largest = 400_000;
  const step = fc.record({
    what: fc.constantFrom('hold', 'hold', 'hold', 'share', 'release', 'took', 'close', 'wait'),
    reader: fc.nat({ max: 9 }),
    bytes: fc.oneof(fc.integer({ min: 1, max: largest }), fc.integer({ min: 1, max: 20_000 })),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const clock = { now: 0 };
      const ledger = new WaitingBytes(limits, () => clock.now);
      const broadcast = new Uint8Array(50_000);
      const callerOf = (index: number) => `caller ${index % 4}`;
      const pieces = new Map<Waiting, (Uint8Array | number)[]>();
      let acting = '';
      const evicted: string[] = [];
      const readers = Array.from({ length: 10 }, (_, index) => {
        const waiting = ledger.open(callerOf(index));
        pieces.set(waiting, []);
        const isKept = index > 7;
        return waiting.onEviction(
          () => {
            pieces.set(waiting, []);
            evicted.push(callerOf(index));
          },
          { isKept },
        );
      });
      const own = (caller: string) => ledger.bytesOf(caller);
      for (const { what, reader: index, bytes } of steps) {
        const reader = readers[index] as Waiting;
        const held = pieces.get(reader) ?? [];
        acting = callerOf(index);
        evicted.length = 0;
        const before = Array.from({ length: 4 }, (_, at) => own(`caller ${at}`));
        const isTotalFull = ledger.state.bytes >= limits.all;
        if (what === 'hold' || what === 'share') {
          const piece = what === 'hold' ? bytes : broadcast.subarray(0, 10);
          if (reader.tryAdd(piece)) held.push(piece);
        } else if (what === 'release') {
          const piece = held.pop();
          if (piece !== undefined) reader.release(piece);
        } else if (what === 'took') reader.recordProgress();
        else if (what === 'close') {
          reader.close();
          held.length = 0;
        } else clock.now += bytes / 100;
        // One message may exceed a limit, and a small one of each reader.
        for (let at = 0; at < 4; at++) {
          expect(own(`caller ${at}`)).toBeLessThan(limits.perCaller + largest + small);
        }
        expect(ledger.state.bytes).toBeLessThan(limits.all + largest + small);
        for (const caller of evicted) {
          if (caller === acting) continue;
          expect(isTotalFull).toBe(true);
          expect(before[Number(caller.at(-1))]).toBe(Math.max(...before));
        }
      }
      for (const reader of readers) reader.close();
      expect(ledger.state).toMatchObject({ bytes: 0, callers: 0 });
    }),
    { numRuns: 500 },
  );
});
