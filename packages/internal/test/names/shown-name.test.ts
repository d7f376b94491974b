import { expect, test } from 'vitest';
import { shownName } from '../../src/names/shown-name.js';

test.each(['a', 'git hub', 'ö', '🔧'.repeat(128), 'a'.repeat(128)])('accepts the name %j', (name) => {
  expect(shownName.test(name)).toBe(true);
});

test.each(['', ' a', 'a ', 'a\nb', 'a\0', 'a\u200b', '\ud800', 'a'.repeat(129)])('refuses the name %j', (name) => {
  expect(shownName.test(name)).toBe(false);
});
