import { expect, test } from 'vitest';
import { isBranded, messageOf } from '../src/errors.js';

const ours = Symbol.for('a-package.error');

/** As another copy of the package makes it. */
function otherCopy() {
  const brand = Symbol.for('a-package.error');
  return class extends Error {
    readonly [brand] = true;
  };
}

test('an error of another copy of the package has the brand, and nothing else has', () => {
  const OtherError = otherCopy();
  expect(isBranded(new OtherError('x'), ours)).toBe(true);
  expect(isBranded(new OtherError('x'), Symbol.for('another-package.error'))).toBe(false);
  for (const value of [new Error('x'), { [ours]: true }, null, undefined, 'x'])
    expect(isBranded(value, ours)).toBe(false);
});

test.each([
  [new TypeError('no'), 'no'],
  ['text', 'text'],
  [undefined, 'undefined'],
  [{ toString: () => 'own words' }, 'own words'],
  [Object.create(null), 'something that cannot be read'],
])('%o says %s', (thrown, message) => {
  expect(messageOf(thrown)).toBe(message);
});
