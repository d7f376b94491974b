import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeToken, encodeToken, isNodeName } from '../src/token.js';

test('any text becomes one token of a subject, and comes back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const token = encodeToken(text);
      expect(token).toMatch(/^[A-Za-z0-9_=-]+$/);
      // Half of a surrogate pair is no text that UTF-8 could hold.
      expect(decodeToken(token)).toBe(new TextDecoder().decode(new TextEncoder().encode(text)));
    }),
  );
});

test('a plain name stays readable', () => {
  expect(encodeToken('file-system_2')).toBe('file-system_2');
  expect(encodeToken('team.files')).toBe('team=2Efiles');
});

test('text that encodeToken cannot produce is no token', () => {
  for (const token of ['=41', '=', '=zz', '=C3', 'a=2', 'ä'].filter((token) => token !== '=')) {
    expect(decodeToken(token)).toBeUndefined();
  }
  expect(decodeToken('=')).toBe('');
});

test('a node is named by letters, digits, _ and -, 64 at most', () => {
  expect(isNodeName('build-1')).toBe(true);
  for (const name of ['', 'a.b', 'a b', '*', 'ä', 'x'.repeat(65), 'fleet', 7, undefined])
    expect(isNodeName(name)).toBe(false);
});
