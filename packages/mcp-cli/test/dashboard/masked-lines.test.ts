import { createRedactor } from '@x/mcp-config-schema';
import { expect, test } from 'vitest';
import { maskedLines } from '../../src/dashboard/masked-lines.js';

const none = createRedactor();

test('shows a secret of any length as three stars, and moves the columns behind it', () => {
  const text = 'env: { GITHUB_TOKEN: ghp_0123456789abcdefghijABCDEFGHIJ012345, MODE: fast }';
  const { lines, columnOf } = maskedLines(text, none);
  expect(lines).toEqual(['env: { GITHUB_TOKEN: ***, MODE: fast }']);
  const at = (part: string, line: string) => line.indexOf(part) + 1;
  for (const part of ['GITHUB', 'MODE', 'fast']) {
    expect(columnOf(1, at(part, text))).toBe(at(part, lines[0] ?? ''));
  }
  expect(columnOf(1, at('ghp_', text))).toBe(at('***', lines[0] ?? ''));
});

test('keeps references to secrets readable', () => {
  const text = [
    'env:',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the file
    '  GITHUB_TOKEN: ${GITHUB_TOKEN}',
    '  API_KEY: { secret_ref: "keychain:github/ada" }',
  ].join('\n');
  expect(maskedLines(text, none).lines).toEqual(text.split('\n'));
});

test('masks values that only the redactor knows, and each line of a value', () => {
  const { lines } = maskedLines('a: swordfish-and-chips\r\nprivate_key: |\r\n  abc def\r\n  ghi\r\nb: 1\r\n', {
    star: (text) => text.replace('swordfish-and-chips', '*'.repeat(19)),
  });
  expect(lines).toEqual(['a: ***', 'private_key: |', '  *** ***', '  ***', 'b: 1', '']);
});

test('leaves stars of the file and a byte order mark out of the count', () => {
  const { lines, columnOf } = maskedLines('\uFEFFdenied_tools: ["*_******", read_*] # ******', none);
  expect(lines).toEqual(['denied_tools: ["*_******", read_*] # ******']);
  expect(columnOf(1, 20)).toBe(20);
});
