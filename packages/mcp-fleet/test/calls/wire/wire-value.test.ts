import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lengthOf, readValue, toMessage, toWhole, writeValue } from '../../../src/calls/wire/wire-value.js';
import { anyValue } from './any-value.js';

const ANY_LENGTH = 2 ** 24;
const LONG = 'x'.repeat(2_000);
const bytesOf = (text: string) => new TextEncoder().encode(text);
/** What `toEqual` takes long for. */
const isSame = (a: Uint8Array | undefined, b: Uint8Array) => a !== undefined && Buffer.compare(a, b) === 0;

/** What a node could send that does not keep to the rules: a 0, and parts with the lengths that it says. */
function handMade(...parts: readonly (string | Uint8Array | readonly [length: number, text: string])[]): Uint8Array {
  const bytes = parts.flatMap((part) => {
    const [length, data] = Array.isArray(part)
      ? [part[0] as number, bytesOf(part[1] as string)]
      : [(part as string).length, typeof part === 'string' ? bytesOf(part) : (part as Uint8Array)];
    const head = new Uint8Array(4);
    new DataView(head.buffer).setUint32(0, length);
    return [...head, ...data];
  });
  return new Uint8Array([0, ...bytes]);
}

describe('a value as it is sent', () => {
  test('is read as JSON would read it, in a message and alone', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const written = writeValue(value);
        const whole = toWhole(written, ANY_LENGTH) ?? new Uint8Array();
        expect(JSON.stringify(readValue(whole))).toBe(JSON.stringify(value));
        expect(whole.byteLength).toBeGreaterThanOrEqual(lengthOf(written));
        expect(isSame(toMessage('', written, ANY_LENGTH), whole)).toBe(true);
        const message = toMessage('F', written, ANY_LENGTH) ?? new Uint8Array();
        expect(message[0]).toBe('F'.charCodeAt(0));
        expect(isSame(message.subarray(1), whole)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('never exceeds its limit', () => {
    fc.assert(
      fc.property(anyValue, fc.integer({ min: -5, max: 5 }), (value, spare) => {
        const written = writeValue(value);
        const length = (toWhole(written, ANY_LENGTH) ?? new Uint8Array()).byteLength;
        const most = Math.max(0, length + spare);
        const expected = most < length ? undefined : length;
        expect(toWhole(written, most)?.byteLength).toBe(expected);
        expect(toMessage('', written, most)?.byteLength).toBe(expected);
        expect(toMessage('F', written, 1 + most)?.byteLength).toBe(expected && 1 + length);
      }),
    );
  });

  test('is its JSON when it has no long text', () => {
    const value = { content: [{ type: 'text', text: 'ä\n"' }], half: `${LONG}\uD83D` };
    expect(toWhole(writeValue(value), ANY_LENGTH)).toEqual(bytesOf(JSON.stringify(value)));
    expect(toWhole(writeValue(undefined), ANY_LENGTH)).toEqual(bytesOf('null'));
  });

  test('has long texts beside its JSON, as they are', () => {
    const text = `"\n\\${LONG}`;
    const head = '[{"n":1,"text":""},[["text"]]]';
    expect(toWhole(writeValue({ n: 1, text }), ANY_LENGTH)).toEqual(handMade(head, text));
  });

  test.each([
    ['huge', 'x'.repeat(8 * 1024 * 1024)],
    ['huge, of three bytes a character', '日'.repeat(3 * 1024 * 1024)],
    ['huge, with one character that is not ASCII, at the end', `${'x'.repeat(4 * 1024 * 1024)}€`],
    ['that begins with what begins a file', `\uFEFF${LONG}`],
  ])('is read as it was, with a text %s', (_, text) => {
    const bytes = toWhole(writeValue({ text, again: [text] }), ANY_LENGTH * 4) ?? new Uint8Array();
    const read = readValue(bytes) as { text: string; again: [string] };
    expect(read.text === text && read.again[0] === text).toBe(true);
  });

  test('cannot be written when JSON cannot', () => {
    expect(() => writeValue({ text: LONG, big: 1n })).toThrow(TypeError);
  });
});

describe('what a node sends that is no value', () => {
  const paths = '[{"text":""},[["text"]]]';

  test.each<[string, Uint8Array]>([
    ['nothing', new Uint8Array()],
    ['no JSON', bytesOf('{')],
    ['a 0 alone', handMade()],
    ['parts without JSON', handMade('')],
    ['no list', handMade('{}')],
    ['an empty list', handMade('[]')],
    ['no paths', handMade('[{"text":""}]', LONG)],
    ['paths that are no list', handMade('[{"text":""},{}]', LONG)],
    ['a text without a path', handMade('[{"text":""},[]]', LONG)],
    ['a path without a text', handMade(paths)],
    ['a path to nowhere', handMade('[{"text":""},[["other"]]]', LONG)],
    ['two texts for one place', handMade('[{"text":""},[["text"],["text"]]]', 'a', 'b')],
    ['a path into what all objects share', handMade('[{},[["__proto__","text"]]]', LONG)],
    ['a text that is cut', handMade(paths, [LONG.length + 1, LONG])],
    ['a length that is cut', handMade(paths, LONG).subarray(0, -LONG.length - 1)],
    ['a length that is next to endless', handMade(paths, [2 ** 32 - 1, LONG])],
    ['something behind the last text', new Uint8Array([...handMade(paths, LONG), 1])],
    ['a text that is no UTF-8', handMade(paths, new Uint8Array([0xc3, 0x28]))],
    ['half a surrogate pair as if it were UTF-8', handMade(paths, new Uint8Array([0xed, 0xa0, 0x80]))],
  ])('is distinct from one: %s', (_, bytes) => {
    expect(readValue(bytes)).toBeUndefined();
    expect(({} as { text?: unknown }).text).toBeUndefined();
  });

  test('is a value or malformed, after any cut and any change', () => {
    const written = fc.array(anyValue, { minLength: 1, maxLength: 3 }).map((values) => {
      return toWhole(writeValue({ text: LONG, values }), ANY_LENGTH) ?? new Uint8Array();
    });
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 4 });
    fc.assert(
      fc.property(written, fc.nat(), changes, (whole, cut, bytes) => {
        const garbled = whole.slice(0, whole.byteLength - (cut % 3 === 0 ? cut % whole.byteLength : 0));
        for (const [at, byte] of bytes) garbled[at % garbled.byteLength] = byte;
        readValue(garbled);
        // The lengths and paths are at the front: what is changed there is the most likely to be taken for something else.
        for (const [at, byte] of bytes) garbled[at % Math.min(40, garbled.byteLength)] = byte;
        readValue(garbled);
      }),
      { numRuns: 500 },
    );
  });
});
