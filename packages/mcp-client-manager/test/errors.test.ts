import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { isManagerError, ManagerError, type ManagerErrorCode } from '../src/errors.js';

/** By code: whether the same call may be made again. */
const codes = {
  'unknown-server': false,
  'unknown-tool': false,
  'not-started': false,
  'server-disabled': false,
  'start-failed': false,
  'command-not-found': false,
  'command-not-executable': false,
  'directory-not-found': false,
  'spawn-failed': false,
  'exited-early': false,
  'handshake-timed-out': false,
  'handshake-refused': false,
  'unsupported-protocol': false,
  'connection-lost': true,
  'outcome-unknown': false,
  'timed-out': false,
  cancelled: false,
  busy: true,
  'auth-required': false,
  'input-refused': false,
  'invalid-result': false,
  unsupported: false,
  'result-too-large': false,
  'server-stopping': true,
  'stop-failed': false,
  'server-unresponsive': false,
  'memory-exceeded': false,
  'server-error': false,
  closed: false,
  'launch-refused': false,
  'not-set-up': false,
  'unresolved-secret': false,
} satisfies Record<ManagerErrorCode, boolean>;

const folder = new URL('../../../docs/errors/', import.meta.url);

test('every code has a page, and no page is about another one', async () => {
  const pages = await readdir(new URL('manager/', folder));
  expect(pages.toSorted()).toEqual(
    Object.keys(codes)
      .map((code) => `${code}.md`)
      .toSorted(),
  );
});

test('the code implies retryable, except where it leaves open whether the request was sent', async () => {
  const page = await readFile(new URL('manager-errors.md', folder), 'utf8');
  const told = /^\| always \| (.+) \|$/m.exec(page)?.[1];
  const retryable = Object.entries(codes).flatMap(([code, may]) => (may ? [code] : []));
  expect(told?.replaceAll('`', '').split(', ').toSorted()).toEqual(retryable.toSorted());
  for (const [code, may] of Object.entries(codes)) {
    expect(new ManagerError(code as ManagerErrorCode, 'text').retryable).toBe(may);
  }
  expect(new ManagerError('timed-out', 'text', { retryable: true }).retryable).toBe(true);
});

test.each(Object.keys(codes))('the page of %s has an example and says what to do', async (code) => {
  const page = await readFile(new URL(`manager/${code}.md`, folder), 'utf8');
  expect(page).toMatch(new RegExp(`^# ${code}\\n\\n\\S`));
  expect(page).toMatch(/\n\n```text\n(.+\n)+```\n\n\S/);
});

test('an error carries the known details', () => {
  const cause = new Error('below');
  const rpc = { code: -32_603, message: 'broken' };
  const error = new ManagerError('server-error', 'text', { server: 'git', stderrTail: ['last words'], rpc, cause });
  expect(error).toMatchObject({
    name: 'ManagerError',
    code: 'server-error',
    message: 'text',
    server: 'git',
    stderrTail: ['last words'],
    rpc,
    cause,
  });
  expect(new ManagerError('closed', 'text')).toMatchObject({ server: undefined, stderrTail: [], rpc: undefined });
});

test('an error of another installed copy is known as one', () => {
  const foreign = Object.assign(new Error('text'), {
    [Symbol.for('@x/mcp-client-manager.error')]: true,
    code: 'closed',
  });
  expect(isManagerError(foreign)).toBe(true);
  expect(isManagerError(new ManagerError('closed', 'text'))).toBe(true);
  for (const other of [new Error('text'), { code: 'closed' }, null, undefined, 'closed']) {
    expect(isManagerError(other)).toBe(false);
  }
});
