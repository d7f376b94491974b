import { expect, test } from 'vitest';
import { followPointer } from '../../src/json/json-pointer.js';

const root = { $defs: { 'a/b': 1, 'c%d': 2, 'e~f': 3, list: [{ g: 4 }] }, '': 5 };

test.each([
  ['', root],
  ['/', 5],
  ['/$defs/a~1b', 1],
  ['/$defs/c%25d', 2],
  ['/$defs/e~0f', 3],
  ['/$defs/list/0/g', 4],
  // The whole fragment is decoded before it is taken apart.
  ['/%24defs%2Flist/0/g', 4],
])('%j leads to what stands there', (fragment, expected) => {
  expect(followPointer(root, fragment)).toEqual(expected);
});

test.each(['$defs', '/nowhere', '/$defs/list/1', '/$defs/toString', '/constructor', '/$defs/a~1b/c', '/%'])(
  '%j leads nowhere',
  (fragment) => {
    expect(followPointer(root, fragment)).toBeUndefined();
  },
);
