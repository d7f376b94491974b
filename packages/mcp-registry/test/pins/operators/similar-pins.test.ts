import { describe, expect, test } from 'vitest';
import { makePin } from '../../../src/pins/check-pins.js';
import { nearestPin } from '../../../src/pins/operators/similar-pins.js';
import type { PinnedDefinition } from '../../../src/pins/pinned-definition.js';

const tool = (name: string, description: string, more: Partial<PinnedDefinition> = {}): PinnedDefinition => ({
  name,
  description,
  inputSchema: { type: 'object' },
  ...more,
});
const pin = (...definition: Parameters<typeof tool>) => makePin(tool(...definition) as never, 'approval');

/** `count` words that no other `kind` shares. */
const words = (kind: string, count: number) => Array.from({ length: count }, (_, number) => kind + number).join(' ');

describe('how much of the shorter text the longer one contains', () => {
  test.each<[string, string, string, number | undefined]>([
    ['the same words in another order', 'moves all mail away', 'Away moves ALL mail!', 1],
    ['letters of any script', 'удаляет все письма сразу', 'УДАЛЯЕТ все письма сразу', 1],
    ['text that was added', 'moves all mail away', `${words('other', 12)} moves all mail away`, 1],
    ['text that was left out', `${words('other', 12)} moves all mail away`, 'moves all mail away', 1],
    ['a word that occurs more often', 'moves all mail away', 'moves all mail away away away', 1],
    ['five words in six, rounded', 'a1 b1 c1 d1 e1 f1', 'a1 b1 c1 d1 e1 g1 h1', 0.83],
    ['four words in five', 'a1 b1 c1 d1 e1', 'a1 b1 c1 d1 f1', 0.8],
    ['seven words in nine', 'a1 b1 c1 d1 e1 f1 g1 h1 i1', 'a1 b1 c1 d1 e1 f1 g1 j1 k1', undefined],
    ['fewer than four words', 'moves all mail', 'moves all mail', undefined],
    [
      'less than a quarter of the longer text',
      'moves all mail away',
      `${words('other', 13)} moves all mail away`,
      undefined,
    ],
    ['letters that stand alone', 'a b c d e', 'a b c d e', undefined],
    ['no words', '', '', undefined],
  ])('%s', (_what, offered, approved, similarity) => {
    const approval = pin('mail', approved);
    const expected = similarity === undefined ? undefined : { pin: approval, similarity };
    expect(nearestPin(tool('post', offered), [approval])).toEqual(expected);
  });

  test('the first 300 words count', () => {
    const approved = [pin('mail', words('a', 300))];
    expect(nearestPin(tool('post', `${words('a', 300)} ${words('b', 700)}`), approved)).toMatchObject({
      similarity: 1,
    });
    expect(nearestPin(tool('post', `${words('b', 300)} ${words('a', 300)}`), approved)).toBeUndefined();
  });

  test('the first 20 000 characters count', () => {
    const text = 'moves all mail away'.padEnd(20_000);
    expect(nearestPin(tool('post', text + words('b', 200)), [pin('mail', 'moves all mail away')])).toBeDefined();
    expect(nearestPin(tool('post', ' '.repeat(20_000) + text), [pin('mail', 'moves all mail away')])).toBeUndefined();
  });
});

describe('what counts as text', () => {
  const approved = [pin('mail', 'moves all mail away')];
  const takes = (properties: unknown) => ({ inputSchema: { type: 'object', properties } });
  test.each<[string, Partial<PinnedDefinition>, boolean]>([
    ['the title', { title: 'moves all mail away' }, true],
    ['names of parameters', takes({ moves: true, all: null, mail: {}, away: { type: 'string' } }), true],
    ['texts of parameters', takes({ x: { description: 'moves all mail away' } }), true],
    ['a text of a parameter that is no text', takes({ x: { description: ['moves', 'all', 'mail', 'away'] } }), false],
    ['a text of a parameter that is a number', takes({ x: { description: 5 }, y: 5 }), false],
    ['parameters that are no object', takes('moves all mail away'), false],
    ['parameters that are null', takes(null), false],
    ['the output', { outputSchema: { description: 'moves all mail away' } }, false],
  ])('%s', (_what, more, counts) => {
    expect(nearestPin(tool('post', '', more), approved) !== undefined).toBe(counts);
  });

  test('names of parameters are words of their own', () => {
    const schema = takes({ moves: { description: 'all' }, mail: { description: 'away' } });
    expect(nearestPin(tool('post', '', schema), approved)).toMatchObject({ similarity: 1 });
  });
});

describe('of several approved tools', () => {
  const near = pin('near', 'a1 b1 c1 d1 e1');
  const nearer = pin('nearer', 'a1 b1 c1 d1 f1');
  const offered = tool('post', 'a1 b1 c1 d1 f1');

  test('the nearest is returned for any order', () => {
    expect(nearestPin(offered, [near, nearer])?.pin).toBe(nearer);
    expect(nearestPin(offered, [nearer, near])?.pin).toBe(nearer);
  });

  test('the first of two equally similar tools is returned', () => {
    const alike = pin('alike', 'a1 b1 c1 d1 f1');
    expect(nearestPin(offered, [nearer, alike])?.pin).toBe(nearer);
  });

  test('a tool is not similar to itself', () => {
    expect(nearestPin(offered, [pin('post', 'a1 b1 c1 d1 f1')])).toBeUndefined();
  });
});
