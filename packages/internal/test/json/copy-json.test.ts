import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { copyJson } from '../../src/json/copy-json.js';

describe('copyJson', () => {
  test('a copy says the same as the original and shares nothing with it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.stringify(copyJson(value))).toBe(JSON.stringify(value));
        expect(Object.isFrozen(copyJson(value))).toBe(true);
      }),
    );
  });

  test('a key __proto__ stays a key', () => {
    const copy = copyJson(JSON.parse('{"__proto__": {"polluted": true}}')) as object;
    expect(Object.keys(copy)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect('polluted' in copy).toBe(false);
  });
});
