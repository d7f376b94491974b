import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ConfigIssue, checkConfig, formatIssue } from '../src/index.js';

const issue: ConfigIssue = {
  code: 'unknown-key',
  severity: 'error',
  message: '"b" is not a key of a',
  key: 'b',
  file: 'm.yaml',
  line: 12,
  column: 3,
  path: ['a', 'b'],
  hint: 'did you mean "c"?',
};

test('an issue without its text is one line and the hint', () => {
  expect(formatIssue(issue)).toBe('m.yaml:12:3 error unknown-key "b" is not a key of a\nhint: did you mean "c"?');
  expect(formatIssue({ ...issue, file: undefined, hint: undefined })).toBe(
    '12:3 error unknown-key "b" is not a key of a',
  );
});

test('with the text, the lines before the place are shown and a caret marks the column', () => {
  const text = `\uFEFF${'\n'.repeat(8)}first\r\nsecond\r\n\r\n\tb: x\r\nafter\r\n`;
  expect(formatIssue({ ...issue, column: 2 }, { text })).toBe(
    [
      'm.yaml:12:2 error unknown-key "b" is not a key of a',
      '  10 | second',
      '  11 |',
      '> 12 |  b: x',
      '     |  ^',
      'hint: did you mean "c"?',
    ].join('\n'),
  );
});

test('a long line is cut around the place', () => {
  const text = `${'-'.repeat(5_000)}X${'-'.repeat(5_000)}`;
  const [, shown = '', caret = ''] = formatIssue({ ...issue, line: 1, column: 5_001 }, { text }).split('\n');
  expect(shown.length).toBeLessThan(140);
  expect(shown[caret.indexOf('^')]).toBe('X');
});

test('no control character of a source is ever printed', () => {
  const name = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\u001b[31m', '\u202E', '\u009B31m', '\u0007'));
  const text = name.map((key) => JSON.stringify({ mcp_servers: { a: { [key]: 1, command: 'x' }, [key]: 5 } }));
  fc.assert(
    fc.property(text, fc.constantFrom('m.json', 'm\u001b.yaml'), (source, file) => {
      for (const found of checkConfig({ text: source, file }).issues) {
        expect(found.message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        expect(formatIssue(found, { text: `\u001b[2J${source}` }).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }
    }),
  );
});
