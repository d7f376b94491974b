import { digest } from '@x/internal/digests';
import { publicName } from '@x/internal/names';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isNativeName } from '../../src/catalog/native-tool.js';

test('no native tool can have the name of a tool of a source', () => {
  const text = fc.string({ minLength: 1, maxLength: 70 });
  fc.assert(fc.property(text, text, (server, tool) => !isNativeName(publicName(server, tool))));
  expect(isNativeName('search')).toBe(true);
});

test('a digest never changes from one release to the next', () => {
  expect(['', 'a', '["git.hub","log"]', '日本語'].map(digest)).toMatchInlineSnapshot(`
    [
      "hzj4ux45",
      "fjfn1b6s",
      "giwkj32w",
      "y77154xu",
    ]
  `);
});

test('the digest is 64-bit FNV-1a', () => {
  const mask = 2n ** 64n - 1n;
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      let hash = 0xcbf29ce484222325n;
      for (let index = 0; index < text.length; index++) {
        const unit = text.charCodeAt(index);
        for (const byte of [unit & 0xff, unit >>> 8]) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & mask;
      }
      expect(digest(text)).toBe((hash % 36n ** 8n).toString(36).padStart(8, '0'));
    }),
  );
});
