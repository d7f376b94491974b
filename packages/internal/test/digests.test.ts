import fc from 'fast-check';
import { expect, test } from 'vitest';
import { portableSha256Of, sha256Of } from '../src/digests.js';

/** Halves of pairs and control characters included. */
const anyText = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));

test('a text has the same digest in any runtime', () => {
  fc.assert(fc.property(anyText, (text) => Buffer.compare(sha256Of(text), portableSha256Of(text)) === 0));
  expect(Buffer.from(sha256Of('abc')).toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});
