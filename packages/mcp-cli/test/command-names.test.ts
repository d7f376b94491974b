import { expect, test } from 'vitest';
import { exitCodes } from '../src/command.js';
import { runMcpx } from './helpers/run-mcpx.js';

test.each([
  ['syncc', 'sync'],
  ['docter', 'doctor'],
  ['imprt', 'import'],
  ['complete', 'completion'],
  ['rmove', 'remove'],
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

test.each([
  ['config', 'validate', '--show-mcp-requirements'],
  ['config', 'check'],
])('for %s it names mcpx validate', async (...words) => {
  const { exitCode, stderr } = await runMcpx(words);
  expect(exitCode).toBe(exitCodes.usage);
  expect(stderr).toMatch(/unknown command 'config'\. "mcpx validate" .* shows the servers that tools need/);
});

test('the help omits the command for shells', async () => {
  const { stdout } = await runMcpx(['--help']);
  expect(stdout).not.toContain('__complete');
});
