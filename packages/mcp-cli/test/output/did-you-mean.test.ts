import { expect, test } from 'vitest';
import { didYouMean } from '../../src/output/did-you-mean.js';

test('is asked as a question, or not at all', () => {
  expect(didYouMean('fils', ['files'])).toBe('Did you mean "files"? ');
  expect(didYouMean('zzz', ['files'])).toBe('');
});
