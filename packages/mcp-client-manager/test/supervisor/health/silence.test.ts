import fc from 'fast-check';
import { expect, test } from 'vitest';
import { silenceVerdict } from '../../../src/supervisor/health/silence.js';

const ms = fc.integer({ min: 0, max: 600_000 });
const silence = fc.record({ sentAtMs: ms, lastByteAtMs: ms, hasMissedCheck: fc.boolean(), silenceLimitMs: ms });

test('any byte since the call was sent proves that the server lives', () => {
  fc.assert(
    fc.property(silence, ms, ms, (known, sinceMs, nowMs) => {
      const heard = { ...known, lastByteAtMs: known.sentAtMs + sinceMs };
      expect(silenceVerdict(heard, nowMs)).toEqual({ kind: 'alive' });
    }),
  );
});

test('a server that missed no check is not replaced', () => {
  fc.assert(
    fc.property(silence, ms, (known, nowMs) => {
      expect(silenceVerdict({ ...known, hasMissedCheck: false }, nowMs).kind).not.toBe('frozen');
    }),
  );
});

test('a server that was silent for less than its limit is not replaced', () => {
  fc.assert(
    fc.property(silence, ms, (known, passedMs) => {
      fc.pre(passedMs < known.silenceLimitMs - 100);
      expect(silenceVerdict(known, known.sentAtMs + passedMs).kind).not.toBe('frozen');
    }),
  );
});

test('a server that stays silent and missed a check is frozen when the wait is over', () => {
  fc.assert(
    fc.property(silence, ms, (known, passedMs) => {
      fc.pre(known.lastByteAtMs < known.sentAtMs);
      const nowMs = known.sentAtMs + passedMs;
      const verdict = silenceVerdict({ ...known, hasMissedCheck: true }, nowMs);
      if (verdict.kind === 'frozen') return;
      expect(verdict).toMatchObject({ kind: 'wait', forMs: expect.any(Number) });
      const { forMs = 0 } = verdict as { forMs?: number };
      expect(silenceVerdict({ ...known, hasMissedCheck: true }, nowMs + forMs)).toEqual({ kind: 'frozen' });
    }),
  );
});

/** What a server does in a millisecond of its own choice after a call was sent. */
const life = fc.array(fc.record({ afterMs: fc.integer({ min: 1, max: 14_000 }), isByte: fc.boolean() }), {
  maxLength: 30,
});

test('a slow server that sends anything within its limit is never replaced', () => {
  fc.assert(
    fc.property(life, fc.integer({ min: 0, max: 15_000 }), (events, limitMs) => {
      let nowMs = 1;
      let lastByteAtMs = 0;
      const sentAtMs = 1;
      for (const { afterMs, isByte } of [{ afterMs: 14_000, isByte: true }, ...events]) {
        nowMs += afterMs;
        if (isByte) lastByteAtMs = nowMs;
        if (nowMs < sentAtMs + limitMs) continue;
        const verdict = silenceVerdict({ sentAtMs, lastByteAtMs, hasMissedCheck: true, silenceLimitMs: 15_000 }, nowMs);
        expect(verdict).toEqual({ kind: 'alive' });
      }
    }),
  );
});
