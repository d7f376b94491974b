import { expect, test } from 'vitest';
import { isForbiddenKey } from '../../src/json/forbidden-key.js';

test('refuses exactly the keys that change an object when they are assigned', () => {
  const keys = ['__proto__', 'constructor', 'prototype', 'toString', '__proto', ''];
  expect(keys.filter(isForbiddenKey)).toEqual(['__proto__', 'constructor', 'prototype']);
});
