import { expect, test } from 'vitest';
import { hexDigest } from '../../src/files/hex-digest.js';

test('is SHA-256, cut to as many digits as asked for', () => {
  expect(hexDigest('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(hexDigest('abc', 16)).toBe('ba7816bf8f01cfea');
  expect(hexDigest(new TextEncoder().encode('abc'), 16)).toBe('ba7816bf8f01cfea');
});
