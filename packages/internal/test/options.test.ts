import { describe, expect, test } from 'vitest';
import { optionTable } from '../src/options.js';

interface Example {
  readonly name: string;
  readonly timeoutMs?: number | undefined;
  readonly isFast?: boolean | undefined;
  readonly mode?: 'slow' | 'fast' | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly onDone?: (() => void) | undefined;
  readonly store?: object | undefined;
  readonly token?: string | undefined;
  readonly place?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

const rows = {
  name: { kind: 'text', required: true },
  timeoutMs: { kind: 'number', of: 'milliseconds', min: 1, max: 5_000, default: 1_000 },
  isFast: { kind: 'flag', default: false },
  mode: { kind: 'word', words: ['slow', 'fast'], default: 'slow' },
  tags: { kind: 'texts', default: [] },
  onDone: { kind: 'function' },
  store: { kind: 'object' },
  token: { kind: 'text' },
  place: { kind: 'other', check: (value: unknown) => (value === 'here' ? undefined : 'here, and nowhere else') },
  signal: { kind: 'signal' },
} as const;
const table = optionTable<Example>()(rows);

test('defaults stand for what is left out or undefined', () => {
  const filled = { name: 'x', timeoutMs: 1_000, isFast: false, mode: 'slow', tags: [] };
  expect(table.read({ name: 'x' })).toEqual(filled);
  expect(table.read({ name: 'x', timeoutMs: undefined, mode: undefined })).toEqual(filled);
  const given = { name: 'x', timeoutMs: 5, isFast: true, mode: 'fast', tags: ['a'], place: 'here' } as const;
  expect(table.read(given)).toEqual(given);
});

describe('an error names the option', () => {
  test.each<[unknown, string | RegExp]>([
    [{}, 'name must be a text that is not empty, got undefined'],
    [null, `options must be an object with ${Object.keys(rows).join(', ')}`],
    [[], /^options must be an object with name, /],
    [Promise.resolve({}), /^options is a promise; await it first$/],
    [new AbortController().signal, /^options must be an object with name, /],
    [new Map([['name', 'x']]), /^options must be an object with name, /],
    [{ name: 'x', signal: new AbortController() }, 'signal must be an AbortSignal, such as controller.signal, got {}'],
    [{ name: '' }, 'name must be a text that is not empty, got string'],
    [{ name: 'x', timeoutMs: 0 }, 'timeoutMs must be a whole number of milliseconds from 1 to 5000, got 0'],
    [{ name: 'x', timeoutMs: '5' }, 'timeoutMs must be a whole number of milliseconds from 1 to 5000, got "5"'],
    [{ name: 'x', timeoutMs: 1.5 }, 'timeoutMs must be a whole number of milliseconds from 1 to 5000, got 1.5'],
    [{ name: 'x', timeoutMs: null }, 'timeoutMs must be a whole number of milliseconds from 1 to 5000, got null'],
    [{ name: 'x', isFast: 1 }, 'isFast must be true or false, got 1'],
    [{ name: 'x', mode: 'quick' }, 'mode must be one of "slow", "fast", got quick'],
    [{ name: 'x', tags: ['a', 1] }, 'tags must be a list of texts, got object'],
    [{ name: 'x', onDone: 'later' }, 'onDone must be a function, got string'],
    [{ name: 'x', store: [] }, 'store must be an object, got []'],
    [{ name: 'x', place: 'there' }, 'place must be here, and nowhere else'],
    [{ name: 'x', timeout: 5 }, 'timeout is not an option; did you mean timeoutMs?'],
    [{ name: 'x', unheardOf: 5 }, `unheardOf is not an option; the options are ${Object.keys(rows).join(', ')}`],
  ])('%j', (given, message) => {
    expect(() => table.read(given as Example)).toThrow(TypeError);
    expect(() => table.read(given as Example)).toThrow(typeof message === 'string' ? new TypeError(message) : message);
  });

  test('with the place of its object', () => {
    expect(() => table.read({ name: 'x', timeoutMs: 0 }, 'limits.')).toThrow(/^limits\.timeoutMs must be/);
    expect(() => table.read({ name: 'x', timeout: 0 } as Example, 'limits.')).toThrow('did you mean limits.timeoutMs?');
    expect(() => table.read(5 as never, 'limits.')).toThrow(/^limits must be an object with name, /);
  });

  test('and never a value that may be a secret', () => {
    expect(() => table.read({ name: 'x', token: ['s3cret'] as never })).toThrow(/^(?!.*s3cret)token must be a text/);
  });

  test('at most 100 characters of a value', () => {
    expect(() => table.read({ name: 'x', mode: 'x'.repeat(10_000) as never })).toThrow(/got x{100}$/);
  });
});

test('keys of inherited objects are no options, and `__proto__` is none either', () => {
  expect(table.read(Object.create({ timeout: 1 }, { name: { value: 'x', enumerable: true } }))).toMatchObject({
    name: 'x',
  });
  expect(() => table.read(JSON.parse('{ "name": "x", "__proto__": 1 }'))).toThrow('__proto__ is not an option');
});

test('options of several functions may come together where the table says so', () => {
  const shared = optionTable<Example>('ignored')(rows);
  expect(shared.read({ name: 'x', elsewhere: 1 } as Example)).toMatchObject({ name: 'x' });
  expect(() => shared.read({ name: 'x', timeout: 1 } as Example)).toThrow('did you mean timeoutMs?');
});

test('a default is not shared with what was read before', () => {
  const first = table.read({ name: 'x' });
  expect(table.read({ name: 'x' })).not.toBe(first);
});
