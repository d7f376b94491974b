import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { preparedAnswer } from '../../src/command-line/prepared-answer.js';
import { runMcpx } from '../helpers/run-mcpx.js';

const directory = new URL('../../dist/prepared/', import.meta.url);

test.each([80, 81, 99, 100, 101, 250])('the prepared help equals the help on %i columns', async (columns) => {
  const { stdout } = await runMcpx(['--help'], { terminal: { columns, rows: 24 } });
  expect(preparedAnswer(['--help'], { directory, columns })).toBe(stdout);
});

test.each([[[]], [['help']], [['--help']], [['-h']], [['--version']], [['-V']]])(
  'what is prepared for %j is what would be found out',
  async (argv) => {
    const { stdout, exitCode } = await runMcpx(argv);
    expect(preparedAnswer(argv, { directory, columns: undefined })).toBe(stdout);
    expect(exitCode).toBe(0);
  },
);

test('prepares nothing for a narrower terminal', () => {
  expect(preparedAnswer(['--help'], { directory, columns: 79 })).toBeUndefined();
});

test.each([[['status']], [['status', '--help']], [['--help', 'status']], [['help', 'status']], [['--hepl']], [['']]])(
  'nothing is prepared for %j',
  (argv) => {
    expect(preparedAnswer(argv, { directory, columns: undefined })).toBeUndefined();
  },
);

test('runs the command if nothing was prepared', () => {
  const nowhere = pathToFileURL('/nowhere/prepared/');
  expect(preparedAnswer(['--help'], { directory: nowhere, columns: undefined })).toBeUndefined();
});
