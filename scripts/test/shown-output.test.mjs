import { expect, test } from 'vitest';
import { firstNotPrinted, outputsIn } from '../shown-output.mjs';

const printed = '\n1. Start\n   files: process 4711 is ready\n   memory is ready\n\n2. Stop\n   done (2 of 2)\n';

test('outputs of a page are its text blocks', () => {
  const page = '# A page\n\n```sh\nnpm start\n```\n\n```text\n1. Start\n\n2. Stop\n```\n\n```text\nmore\n```\n';
  expect(outputsIn(page)).toEqual([['1. Start', '', '2. Stop'], ['more']]);
});

test('an output with a gap for lines, and one within a line, was printed', () => {
  const shown = ['1. Start', '   files: process … is ready', '   …', '2. Stop', '   done (2 of 2)'];
  expect(firstNotPrinted(shown, printed)).toBeUndefined();
});

test('lines after a gap at the end are any', () => {
  expect(firstNotPrinted(['1. Start', '…'], printed)).toBeUndefined();
});

test('the first line that differs is found', () => {
  expect(firstNotPrinted(['1. Start', '   memory is ready', '2. Stop'], printed)).toBe('   memory is ready');
  expect(firstNotPrinted(['2. Stop', '   done (2 of 3)'], printed)).toBe('   done (2 of 3)');
  expect(firstNotPrinted(['2. Stop', '   done (2 o. 2)'], printed)).toBe('   done (2 o. 2)');
});

test('a line that is only a part of a printed one was not printed', () => {
  expect(firstNotPrinted(['2. St'], printed)).toBe('2. St');
});
