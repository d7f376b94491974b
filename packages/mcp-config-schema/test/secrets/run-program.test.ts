import { expect, test } from 'vitest';
import { findWindowsProgram } from '../../src/secrets/run-program.js';

const cwd = 'C:\\clone';
const env = { Path: '.;;bin;C:\\Windows;"D:\\Program Files\\op"' };
const files = ['C:\\clone\\op.exe', 'C:\\clone\\bin\\op.exe', 'D:\\Program Files\\op\\op.exe', 'C:\\Windows\\pass.cmd'];
const find = (program: string, on = files) => findWindowsProgram({ program, cwd, env }, (path) => on.includes(path));

test('on Windows, a program is searched on PATH and not in the current directory', () => {
  expect(find('op')).toBe('D:\\Program Files\\op\\op.exe');
  expect(find('op.exe')).toBe('D:\\Program Files\\op\\op.exe');
  expect(find('op', files.slice(0, 2))).toBeUndefined();
});

test('on Windows, paths are relative to the current directory, and batch files are not run', () => {
  expect(find('.\\bin\\op')).toBe('C:\\clone\\bin\\op.exe');
  expect(find('C:\\clone\\op.exe')).toBe('C:\\clone\\op.exe');
  expect(find('pass')).toBeUndefined();
  expect(find('pass.cmd')).toBeUndefined();
});
