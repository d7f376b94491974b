import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { isManagerError, ManagerError, type ManagerErrorCode } from '../src/errors.js';

const codes = {
  'unknown-server': true,
  'not-started': true,
  'start-failed': true,
  'command-not-found': true,
  'command-not-executable': true,
  'directory-not-found': true,
  'spawn-failed': true,
  'exited-early': true,
  'handshake-timed-out': true,
  'handshake-refused': true,
  'unsupported-protocol': true,
  'connection-lost': true,
  'outcome-unknown': true,
  'timed-out': true,
  'result-too-large': true,
  'server-stopping': true,
  'stop-failed': true,
  'server-unresponsive': true,
  'server-error': true,
  closed: true,
} satisfies Record<ManagerErrorCode, true>;

test('every code has its place on the page about errors, and the page knows no other', async () => {
  const page = await readFile(new URL('../../../docs/errors/manager-errors.md', import.meta.url), 'utf8');
  const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, code]) => code);
  expect(headings).toEqual(Object.keys(codes));
});

test('every code on the page has an example and says what to do', async () => {
  const page = await readFile(new URL('../../../docs/errors/manager-errors.md', import.meta.url), 'utf8');
  for (const section of page.split(/^## /m).slice(1)) {
    expect(section).toMatch(/\n\n```text\n.+\n```\n\n\S/);
  }
});

test('an error carries what is known', () => {
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
