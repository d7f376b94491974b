import type { GatewayProblem } from '@x/mcp-gateway';
import { expect, test } from 'vitest';
import { problemLines } from '../../src/serving/messages.js';

function open({ isVerbose = false } = {}) {
  let text = '';
  let time = 0;
  const stderr = {
    write: (more: string) => {
      text += more;
    },
  };
  const lines = problemLines(
    { stderr, env: {} },
    { redact: (line) => line.replaceAll('s3cret', '***'), isVerbose, now: () => time },
  );
  const pass = (ms: number) => {
    time += ms;
  };
  return { ...lines, pass, written: () => text };
}

const problem: GatewayProblem = { code: 'request-failed', server: 'web', reason: 'timed-out', message: 'web is slow' };

test('a problem is one line without secrets and escapes', () => {
  const { onProblem, written } = open();
  onProblem({ ...problem, message: 'web said \u001b[31ms3cret\u001b[0m\nand more\u202e' });
  expect(written()).toBe('warning: web said *** and more\n');
});

test('the same problem is printed once a minute, others at once', () => {
  const { onProblem, onError, pass, written } = open();
  onProblem(problem);
  onProblem({ ...problem, message: 'web is still slow' });
  onProblem({ ...problem, server: 'git', message: 'git is slow' });
  onError(new Error('odd: {"id":1}'));
  onError(new Error('odd: {"id":2}'));
  onError(Object.assign(new Error('broken'), { code: 'EPIPE' }));
  pass(60_000);
  onProblem({ ...problem, message: 'web is slow again' });
  expect(written().split('\n')).toEqual([
    'warning: web is slow',
    'warning: git is slow',
    'warning: odd: {"id":1}',
    'warning: broken',
    'warning: web is slow again',
    '',
  ]);
});

test('a client that does not read is reported with a remedy', () => {
  const { onError, written } = open();
  onError(Object.assign(new Error('The client does not read: 65 MiB wait for it'), { code: 'client-stalled' }));
  expect(written()).toBe(
    'warning: The client does not read: 65 MiB wait for it. The connection is closed. Restart the client and check that it reads its messages.\n',
  );
});

test('a problem names options of mcpx', () => {
  const { onProblem, onError, written } = open();
  onProblem({ ...problem, message: 'git was not sent; raise "limits.maxQueuedCalls"' });
  onError(new Error('The audit log x cannot be written. Events are queued, at most maxQueued, until it can be'));
  expect(written()).toBe(
    'warning: git was not sent; raise max_queued_calls\n' +
      'warning: The audit log x cannot be written. Events are queued, at most 10 000, until it can be\n',
  );
});

test('--verbose prints all problems with their stacks', () => {
  const { onProblem, written } = open({ isVerbose: true });
  onProblem({ ...problem, cause: new Error('s3cret cause') });
  onProblem(problem);
  expect(written()).toMatch(/^warning: web is slow\nError: \*\*\* cause\n +at [\s\S]*\nwarning: web is slow\n$/);
});

test.each([
  { isVerbose: false, most: 60 },
  { isVerbose: true, most: 600 },
])('at most $most problems are printed per minute, with the number of others', (options) => {
  const { onProblem, pass, written } = open(options);
  const fail = (count: number) => {
    for (let n = 0; n < count; n += 1) onProblem({ ...problem, server: `s${n}`, message: `s${n} is slow` });
  };
  fail(options.most + 40);
  pass(60_000);
  fail(1);
  const lines = written().trim().split('\n');
  expect(lines).toHaveLength(options.most + 3);
  expect(lines.slice(-4)).toEqual([
    `warning: s${options.most - 1} is slow`,
    'warning: There are many problems; further ones are not shown for up to a minute.',
    'warning: 40 more problems were not shown.',
    'warning: s0 is slow',
  ]);
});
