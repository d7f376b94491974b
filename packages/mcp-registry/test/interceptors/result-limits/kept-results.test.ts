import { textResult } from '@x/test-servers';
import { expect, test } from 'vitest';
import { KeptResults } from '../../../src/interceptors/result-limits/kept-results.js';

const bounds = { maxKeptCharacters: 1_000, maxKeptCharactersPerCaller: 500, keepMs: 60_000 };
const ada = { role: 'reader', principal: 'ada' };

test('a result is kept for its time, and makes room after it', () => {
  let now = 0;
  const kept = new KeptResults(bounds, () => now);
  const result = textResult('long');
  const [first, second] = [kept.keep(result, 500, ada), kept.keep(result, 500, { ...ada, principal: 'bob' })];
  now = 60_000;
  expect(kept.find(first ?? '', ada)).toBe(result);
  now = 60_001;
  expect(kept.find(first ?? '', ada)).toBeUndefined();
  expect(kept.find(second ?? '', { ...ada, principal: 'bob' })).toBeUndefined();
  const others = [ada, { role: 'other' }].map((caller) => kept.find(kept.keep(result, 500, caller) ?? '', caller));
  expect(others).toEqual([result, result]);
});

test('a caller’s results make room for its own, and only the oldest of them', () => {
  const kept = new KeptResults(bounds, () => 0);
  const results = Array.from({ length: 6 }, (_, at) => textResult(String(at)));
  const ids = results.map((result) => kept.keep(result, 200, ada) ?? '');
  expect(ids.map((id) => kept.find(id, ada))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    ...results.slice(4),
  ]);
  expect(kept.keep(textResult('too long'), 501, ada)).toBeUndefined();
  expect(ids.map((id) => kept.find(id, ada)).filter(Boolean)).toHaveLength(2);
});

test('roles and principals that read alike in another order are others', () => {
  const kept = new KeptResults(bounds, () => 0);
  const id = kept.keep(textResult('x'), 1, { role: 'a', principal: 'b' }) ?? '';
  for (const caller of [{ role: 'b', principal: 'a' }, { role: 'a' }, { principal: 'b' }, { role: 'a,b' }, {}]) {
    expect(kept.find(id, caller)).toBeUndefined();
  }
});
