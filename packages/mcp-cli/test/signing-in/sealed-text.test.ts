import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSealed, newSealingKey, seal, unseal } from '../../src/signing-in/sealed-text.js';

test('sealed text opens only with its key and place, and shows nothing of the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ minLength: 1 }), (text, place) => {
      const key = newSealingKey();
      const sealed = seal(text, { key, location: place });
      expect(isSealed(sealed)).toBe(true);
      expect(unseal(sealed, { key, location: place })).toBe(Buffer.from(text).toString());
      expect(unseal(sealed, { key, location: `${place}.` })).toBeUndefined();
      expect(unseal(sealed, { key: newSealingKey(), location: place })).toBeUndefined();
    }),
  );
});

test('sealing the same text twice gives different results', () => {
  const key = newSealingKey();
  expect(seal('text', { key, location: 'here' })).not.toBe(seal('text', { key, location: 'here' }));
});

test('changed or invented text does not open and does not throw', () => {
  const key = newSealingKey();
  const sealed = seal('{"access_token":"sentinel"}', { key, location: 'here' });
  fc.assert(
    fc.property(fc.nat(sealed.length - 1), fc.constantFrom(...'Ab3-_'), (at, letter) => {
      fc.pre(sealed[at] !== letter && at > 'sealed:1:'.length && at < sealed.length - 2);
      const changed = sealed.slice(0, at) + letter + sealed.slice(at + 1);
      expect(unseal(changed, { key, location: 'here' })).toBeUndefined();
    }),
  );
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(unseal(`sealed:1:${text}`, { key, location: 'here' })).toBeUndefined();
    }),
  );
});
