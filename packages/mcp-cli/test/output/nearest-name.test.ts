import { expect, test } from 'vitest';
import { didYouMean, nearestName } from '../../src/output/nearest-name.js';

test.each([
  ['fils', ['web', 'files'], 'files'],
  ['Files', ['files'], 'files'],
  ['fiels', ['files'], 'files'],
  ['filesystem', ['memory', 'git'], undefined],
  ['x', ['git'], undefined],
  ['', ['git'], undefined],
  ['git', [], undefined],
])('%s among %j is %s', (wanted, names, expected) => {
  expect(nearestName(wanted, names)).toBe(expected);
});

test('is asked as a question, or not at all', () => {
  expect(didYouMean('fils', ['files'])).toBe('Did you mean "files"? ');
  expect(didYouMean('zzz', ['files'])).toBe('');
});
