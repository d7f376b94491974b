import { expect, test } from 'vitest';
import { printable, quoted } from '../src/text.js';

test('shows a stand-in for each character that would move, hide or reorder text', () => {
  expect(printable('a\u001b[1m\tb\n\u202e\ud800')).toBe('a␛[1m b␊\ufffd\ufffd');
});

test('quotes a name and cuts it at 80 characters', () => {
  expect(quoted('a\0')).toBe('"a␀"');
  expect(quoted('a'.repeat(80))).toBe(`"${'a'.repeat(80)}"`);
  expect(quoted('a'.repeat(81))).toBe(`"${'a'.repeat(77)}…"`);
});
