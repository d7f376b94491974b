import { expect, test } from 'vitest';
import { exitCodes } from '../src/command.js';
import { runMcpx } from './helpers/run-mcpx.js';

test.each([
  ['syncc', 'sync'],
  ['docter', 'doctor'],
  ['imprt', 'import'],
  ['complete', 'completion'],
])('for %s it suggests %s', async (typed, meant) => {
  const { exitCode, stderr } = await runMcpx([typed]);
  expect(exitCode).toBe(exitCodes.usage);
  expect(stderr).toMatch(new RegExp(`Did you mean (one of [\\w, ]*)?${meant}\\b`));
});

test('suggests the nearest subcommand for a misspelt one', async () => {
  const { exitCode, stderr } = await runMcpx(['daemon', 'stauts']);
  expect(exitCode).toBe(exitCodes.usage);
  expect(stderr).toContain('Did you mean status?');
});

test('the help omits the command for shells', async () => {
  expect((await runMcpx(['--help'])).stdout).not.toContain('__complete');
});
