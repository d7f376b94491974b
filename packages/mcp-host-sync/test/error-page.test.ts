import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { HostFileError, type HostFileErrorCode, type HostIssueCode, isHostFileError } from '../src/index.js';

const pages = readdirSync(new URL('../../../docs/errors/hosts/', import.meta.url));

const errorCodes = codes<HostFileErrorCode>({
  'broken-link': true,
  'changed-since-plan': true,
  'foreign-owner': true,
  'hard-link': true,
  'invalid-location': true,
  'invalid-state': true,
  locked: true,
  'no-space': true,
  'not-a-file': true,
  'not-text': true,
  'outside-expected-place': true,
  'read-only': true,
  'too-large': true,
  'unknown-host': true,
  'unreadable-document': true,
  'unreadable-file': true,
  'unsupported-shape': true,
  'write-failed': true,
});

const issueCodes = codes<HostIssueCode>({
  'command-not-supported': true,
  'conditional-file': true,
  'field-not-supported': true,
  'file-not-edited': true,
  'host-variable': true,
  'keyring-variable': true,
  'legacy-host': true,
  'looks-like-variable': true,
  'malformed-variable': true,
  'name-not-supported': true,
  'not-served': true,
  'not-understood': true,
  'remote-not-supported': true,
  'secret-in-arguments': true,
  'secret-in-project-file': true,
  'secret-not-resolved': true,
  'several-files': true,
  'shared-file': true,
  'shim-in-project-file': true,
  'unset-variable': true,
  'variables-not-supported': true,
});

/** Compiles only if all codes are present. */
function codes<Code extends string>(known: Readonly<Record<Code, true>>): readonly string[] {
  return Object.keys(known);
}

test('every code has a page, and every page a code', () => {
  expect(pages.toSorted()).toEqual([...errorCodes, ...issueCodes].map((code) => `${code}.md`).toSorted());
});

test('recognizes an error of another installed copy', () => {
  const error = new HostFileError('locked', 'busy', { file: '/x' });
  const copy = Object.assign(new Error('busy'), { [Symbol.for('mcp-host-sync.error')]: true });
  expect([
    isHostFileError(error),
    isHostFileError(copy),
    isHostFileError(new Error('x')),
    isHostFileError(undefined),
  ]).toEqual([true, true, false, false]);
  expect(error).toMatchObject({ name: 'HostFileError', code: 'locked', file: '/x', line: undefined });
});
