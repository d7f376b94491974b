import { expect, test } from 'vitest';
import { HostFileError, isHostFileError } from '../../src/hosts/host-error.js';

test('an error says what went wrong, where, and what to do by hand', () => {
  const details = { line: 3, column: 5, manualSnippet: 'a: 1\n', cause: new Error('inner') };
  const error = new HostFileError('unsupported-shape', 'No', details);
  expect(error).toMatchObject({ name: 'HostFileError', code: 'unsupported-shape', message: 'No', ...details });
});

test('an error of another installed copy is recognized, and no other error', () => {
  const foreign = Object.assign(new Error('No'), { [Symbol.for('mcp-config-schema.host-file-error')]: true });
  expect(isHostFileError(foreign)).toBe(true);
  expect(isHostFileError(new Error('No'))).toBe(false);
  expect(isHostFileError('No')).toBe(false);
});
