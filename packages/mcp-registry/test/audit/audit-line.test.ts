import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AuditLine, toAuditLine } from '../../src/audit/audit-queue.js';

const event = (name: string): AuditLine => ({
  time: '2026-01-01T00:00:00.000Z',
  action: 'describe',
  name,
  decision: 'unknown',
});

test('any text round-trips on one line without characters that a terminal obeys', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      const line = toAuditLine(event(name));
      expect(JSON.parse(line)).toEqual(event(name));
      expect(line.indexOf('\n')).toBe(line.length - 1);
      expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }),
  );
});

test('characters that hide or reorder text are escaped, including tag characters', () => {
  const line = toAuditLine(event('\u001b[2J\u202e\u200b\u{e0041}\u2028\u0085é'));
  expect(line).toContain('"\\u001b[2J\\u202e\\u200b\\udb40\\udc41\\u2028\\u0085é"');
});
