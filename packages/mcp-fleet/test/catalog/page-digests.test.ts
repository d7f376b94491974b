import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageDigests } from '../../src/catalog/page-digests.js';
import type { ToolDigest } from '../../src/catalog/records.js';

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).byteLength;

test('a list fits into the record or into short pages, for any names', () => {
  const name = fc.array(fc.nat(0xff), { maxLength: 20 }).map((units) => String.fromCharCode(...units));
  const digests = fc.array(
    name.map((each): ToolDigest => [each, 'd'.repeat(24)]),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(digests, (list) => {
      const maxBytes = 1_024;
      const { listed, pages } = pageDigests(list, maxBytes);
      if ('pages' in listed) {
        expect(listed).toEqual({ pages: pages.map(({ digest }) => digest), count: list.length });
        expect(pages.flatMap(({ text }) => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(list)));
        for (const { text } of pages)
          expect(new TextEncoder().encode(text).byteLength).toBeLessThanOrEqual(maxBytes + 2);
      } else {
        expect(listed).toEqual(list);
        expect(bytesOf(listed)).toBeLessThanOrEqual(maxBytes + 2);
      }
    }),
  );
});
