import type { ToolCaller, ToolCallResult } from '@x/internal/contracts';
import { textResult } from '@x/test-servers';
import { expect, test } from 'vitest';
import { type KeepingBounds, KeptResults, KeptTogether } from '../../../src/interceptors/result-limits/kept-results.js';

const bounds = { maxKeptCharacters: 4_000, maxKeptCharactersPerCaller: 2_000, keepMs: 60_000 };
const ada = { role: 'reader', principal: 'ada' };
const bob = { ...ada, principal: 'bob' };

function open(now = () => 0, given: KeepingBounds = bounds, together?: KeptTogether) {
  const kept = new KeptResults(given, now, together);
  return {
    keep: (result: ToolCallResult, caller: ToolCaller = ada) => kept.keep(result, caller),
    textOf: (id: string | undefined, caller: ToolCaller = ada) => {
      const [block] = kept.find(id ?? '', caller)?.content ?? [];
      return block !== undefined && 'text' in block ? block.text : undefined;
    },
  };
}

test('a result is kept for its time, and makes room after it', () => {
  let now = 0;
  const { keep, textOf } = open(() => now);
  const long = 'x'.repeat(1_500);
  const [first, second] = [keep(textResult(long)), keep(textResult(long), bob)];
  now = 60_000;
  expect(textOf(first)).toBe(long);
  now = 60_001;
  expect(textOf(first)).toBeUndefined();
  expect(textOf(second, bob)).toBeUndefined();
  const others = [ada, { role: 'other' }].map((caller) => textOf(keep(textResult(long), caller), caller));
  expect(others).toEqual([long, long]);
});

test('a caller’s results make room for its own, and only the oldest of them', () => {
  const { keep, textOf } = open();
  const texts = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => letter.repeat(600));
  const ids = texts.map((text) => keep(textResult(text)));
  expect(ids.map((id) => textOf(id))).toEqual([undefined, undefined, undefined, undefined, ...texts.slice(4)]);
  expect(keep(textResult('x'.repeat(2_001)))).toBeUndefined();
  expect(ids.map((id) => textOf(id)).filter(Boolean)).toHaveLength(2);
});

test('empty blocks, structured content, and fields of blocks and of the result count', () => {
  const given = { maxKeptCharacters: 100_000, maxKeptCharactersPerCaller: 100_000, keepMs: 60_000 };
  const kept = new KeptResults(given, () => 0);
  const long = 'x'.repeat(100_000);
  const empty = { type: 'text', text: '' } as const;
  const tooLong: readonly ToolCallResult[] = [
    { content: Array.from({ length: 1_000 }, () => ({ ...empty })) },
    { content: [{ ...empty, _meta: { long } }] },
    { content: [{ type: 'resource', resource: { uri: 'file:///a', text: '', _meta: { long } } }] },
    { content: [], structuredContent: { rows: Array.from({ length: 20_000 }, () => 1) } },
    { content: [], structuredContent: { [long]: 1 } },
    { content: [], _meta: { long } },
    { content: [], later: [long] },
  ];
  expect(tooLong.map((result) => kept.keep(result, ada))).toEqual(tooLong.map(() => undefined));
  const short = { content: [empty], structuredContent: { a: 1 }, _meta: { b: 2 } };
  expect(kept.find(kept.keep(short, ada) ?? '', ada)).toEqual(short);
});

test('roles and principals that read alike in another order are others', () => {
  const { keep, textOf } = open();
  const id = keep(textResult('x'), { role: 'a', principal: 'b' });
  for (const caller of [{ role: 'b', principal: 'a' }, { role: 'a' }, { principal: 'b' }, { role: 'a,b' }, {}]) {
    expect(textOf(id, caller)).toBeUndefined();
  }
});

test('several stores keep no more than they may together, and the largest one makes room', () => {
  const together = new KeptTogether(6_000);
  const stores = Array.from({ length: 20 }, () => open(() => 0, bounds, together));
  const [busy] = stores;
  const text = 'x'.repeat(500);
  const ofBusy = [ada, bob].flatMap((caller) => [1, 2, 3].map(() => busy?.keep(textResult(text), caller)));
  const ids = stores.slice(1, 6).map((store) => store.keep(textResult(text)));
  expect(stores.slice(1, 6).map((store, index) => store.textOf(ids[index]))).toEqual(Array(5).fill(text));
  expect(busy?.textOf(ofBusy[0])).toBeUndefined();
  expect(busy?.textOf(ofBusy[5], bob)).toBe(text);

  const all = stores.flatMap((store) =>
    Array.from({ length: 3 }, () => [store, store.keep(textResult(text))] as const),
  );
  const kept = all.filter(([store, id]) => store.textOf(id) !== undefined);
  expect(kept.length * text.length).toBeLessThanOrEqual(6_000);
  expect(kept.at(-1)).toBe(all.at(-1));
});
