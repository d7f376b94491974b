import { expect, test } from 'vitest';
import { ConfigError, isConfigError, parseConfig } from '../src/index.js';

test('recognizes an error of another installed copy', () => {
  const ofOtherCopy = Object.assign(new Error('no'), { [Symbol.for('mcp-config-schema.error')]: true });
  expect(isConfigError(ofOtherCopy)).toBe(true);
  expect(isConfigError(new ConfigError('unreadable', 'no'))).toBe(true);
  expect(isConfigError(new Error('no'))).toBe(false);
  expect(isConfigError({ code: 'unreadable' })).toBe(false);
});

test('the message shows the first issues and counts the others', () => {
  const text = `mcp_servers:\n${[1, 2, 3, 4, 5, 6, 7].map((n) => `  s${n}: 5\n`).join('')}`;
  expect(() => parseConfig({ text })).toThrow(/^The configuration has 7 errors:\n(.*\n){5} {2}… and 2 more$/);
  expect(() => parseConfig({ text: 'mcp_servers: 5' })).toThrow(/^The configuration has an error:\n {2}1:14 error .*$/);
});
