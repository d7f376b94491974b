import { expect, test } from 'vitest';
import { messageOf } from '../../src/errors/message-of.js';

test.each([
  [new TypeError('no'), 'no'],
  ['text', 'text'],
  [undefined, 'undefined'],
  [{ toString: () => 'own words' }, 'own words'],
  [Object.create(null), 'something that cannot be read'],
])('%o says %s', (thrown, message) => {
  expect(messageOf(thrown)).toBe(message);
});
