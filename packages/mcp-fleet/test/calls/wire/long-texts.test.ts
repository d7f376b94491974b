import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { extractLongTexts, restoreLongText } from '../../../src/calls/wire/long-texts.js';
import { anyValue } from './any-value.js';

const LONG = 'x'.repeat(1_024);
const pathsIn = (value: unknown) => extractLongTexts(value).texts.map(({ path }) => path);

describe('long texts are taken out of a value', () => {
  test('and put back where they were, and nothing else about it is different', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const before = JSON.stringify(value);
        const { rest, texts } = extractLongTexts(value);
        const copy: unknown = JSON.parse(JSON.stringify(rest));
        for (const { path, text } of texts) expect(restoreLongText(copy, path, text)).toBe(true);
        expect(JSON.stringify(copy)).toBe(before);
        expect(JSON.stringify(value)).toBe(before);
      }),
    );
  });

  test('wherever they are', () => {
    const value = {
      content: [{ type: 'text', text: LONG }, { resource: { blob: LONG } }],
      structuredContent: [[LONG]],
    };
    expect(pathsIn(value)).toEqual([
      ['content', 0, 'text'],
      ['content', 1, 'resource', 'blob'],
      ['structuredContent', 0, 0],
    ]);
    expect(extractLongTexts(value).rest).toEqual({
      content: [{ type: 'text', text: '' }, { resource: { blob: '' } }],
      structuredContent: [['']],
    });
  });

  test('when they are long, and whole', () => {
    expect(pathsIn([LONG.slice(1), `${LONG.slice(1)}\uD800`, `${LONG}\uDC00`, `${LONG}😀`])).toEqual([[3]]);
  });

  test('of nothing but plain objects and lists: what else there is says itself how it is written', () => {
    class Note {
      readonly text = LONG;
    }
    const own = { text: LONG, toJSON: () => 'mine' };
    const list = Object.assign([LONG], { toJSON: () => 'mine' });
    const value = { own, list, note: new Note(), boxed: Object(LONG) as unknown, map: new Map([[1, LONG]]) };
    expect(extractLongTexts(value)).toEqual({ rest: value, texts: [] });
    expect(pathsIn(Object.assign(Object.create(null), { text: LONG }))).toEqual([['text']]);
  });

  test('of lists, with or without own properties, and of no unusual objects', () => {
    const list = Object.assign([LONG], { keys: 1, slice: 2, constructor: 3 });
    expect(extractLongTexts({ list })).toEqual({ rest: { list: [''] }, texts: [{ path: ['list', 0], text: LONG }] });
    const bare: unknown = Object.setPrototypeOf([LONG], null);
    expect(extractLongTexts(bare)).toEqual({ rest: bare, texts: [] });
  });

  test('and a value that has none is not copied', () => {
    const value = { content: [{ type: 'text', text: 'short' }], nan: Number.NaN };
    expect(extractLongTexts(value).rest).toBe(value);
  });

  test('without a search of all the small ones that there are', () => {
    let looks = 0;
    const rows = new Proxy(Array.from({ length: 100_000 }, String), {
      get(target, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) looks += 1;
        return Reflect.get(target, key);
      },
    });
    expect(pathsIn({ text: LONG, rows, late: LONG })).toEqual([['text']]);
    expect(looks).toBeLessThanOrEqual(1_000);
  });

  test('of a circle as long as it is looked at, and what is left still cannot be written', () => {
    const circle: Record<string, unknown> = { text: LONG };
    circle.self = circle;
    expect(() => JSON.stringify(extractLongTexts(circle).rest)).toThrow(TypeError);
  });
});

describe('a text is put nowhere but where one was taken out', () => {
  const value = () => JSON.parse('{"text":"","list":[""],"full":"x","none":null,"deep":{"__proto__":{"text":""}}}');

  test.each<[string, unknown]>([
    ['no list', 'text'],
    ['nothing', undefined],
    ['an empty path', []],
    ['a key that is not there', ['other']],
    ['a text that is there', ['full']],
    ['into a text', ['full', 0]],
    ['into null', ['none', 'text']],
    ['a whole object', ['deep']],
    ['behind the end of a list', ['list', 1]],
    ['the length of a list', ['list', 'length']],
    ['what all objects share', ['__proto__', 'text']],
    ['what makes objects', ['constructor', 'name']],
    ['a key that is none', [{ toString: 1 }]],
    ['a key of two', [['text']]],
  ])('%s', (_, path) => {
    const changed = value();
    expect(restoreLongText(changed, path, 'new')).toBe(false);
    expect(changed).toEqual(value());
    expect(({} as { text?: unknown }).text).toBeUndefined();
  });

  test('not even when its object has a key that all objects seem to have', () => {
    const changed = value();
    expect(restoreLongText(changed, ['deep', '__proto__', 'text'], 'new')).toBe(true);
    expect(JSON.stringify(changed.deep)).toBe('{"__proto__":{"text":"new"}}');
    expect(({} as { text?: unknown }).text).toBeUndefined();
  });
});
