import { expect, test } from 'vitest';
import { launchFingerprint, processFingerprint } from '../../src/launch/launch-fingerprint.js';
import { resolveSpec } from '../../src/resolve-spec.js';
import type { ServerSpec } from '../../src/spec.js';

const base = { name: 'files', command: 'node', args: ['server.js'], env: { A: '1', B: '2' } } satisfies ServerSpec;

/** Of the process. */
function of(spec: ServerSpec): string {
  return processFingerprint(resolveSpec(spec));
}

/** Of what is known of a launch from one process to the next. */
function launchOf(spec: ServerSpec): string {
  return launchFingerprint(resolveSpec(spec));
}

test('changes that do not affect the process do not change the fingerprint', () => {
  const changes: Partial<ServerSpec>[] = [
    { name: 'other' },
    { autoStart: false },
    { limits: { startupTimeoutMs: 5_000 } },
    { limits: { shutdownTimeoutMs: 9_000 } },
    { restart: { maxAttempts: 9 } },
    { health: { intervalMs: 60_000 } },
    { limits: { idleStopMs: 5_000 } },
    { priority: 5 },
    { deniedTools: ['a'] },
    { limits: { maxConcurrentCalls: 1 } },
  ];
  for (const change of changes) expect(of({ ...base, ...change } as ServerSpec), JSON.stringify(change)).toBe(of(base));
});

test('the order of the variables does not count', () => {
  expect(of({ ...base, env: { B: '2', A: '1' } })).toBe(of(base));
});

test.each([
  { command: 'bun' },
  { args: ['server.js', '-v'] },
  { args: [] },
  { env: { A: '1' } },
  { env: { A: '1', B: '3' } },
  { cwd: '/srv' },
  { protocol: 'legacy' as const },
])('with %j it is another process', (change) => {
  expect(of({ ...base, ...change })).not.toBe(of(base));
});

test('distinguishes arguments by their ends', () => {
  expect(of({ ...base, args: ['a b'] })).not.toBe(of({ ...base, args: ['a', 'b'] }));
});

test('for an HTTP server url, headers and sign-in count', () => {
  const remote = { name: 'remote', url: 'https://example.com/mcp', headers: { authorization: 'one' } };
  expect(of({ ...remote })).toBe(of({ ...remote }));
  expect(of({ ...remote, headers: { authorization: 'two' } })).not.toBe(of(remote));
  expect(of({ ...remote, url: 'https://example.com/other' })).not.toBe(of(remote));
  expect(of({ ...remote, auth: { provider: 'oauth' } })).not.toBe(of(remote));
});

const remote = { name: 'remote', url: 'https://example.com/mcp', headers: { authorization: 'one' } };

test.each<[what: string, one: ServerSpec, other: ServerSpec]>([
  ['variable', { ...base, env: { TOKEN: 'one' } }, { ...base, env: { TOKEN: 'two' } }],
  ['header', remote, { ...remote, headers: { Authorization: 'two' } }],
  ['query of a URL', { ...remote, url: 'https://example.com/mcp?key=one' }, remote],
  ['option', { ...base, args: ['--api-key', 'one'] }, { ...base, args: ['--api-key', 'two'] }],
  ['option with =', { ...base, args: ['--token=one'] }, { ...base, args: ['--token=two'] }],
  ['header option', { ...base, args: ['--header', 'X-Key: a'] }, { ...base, args: ['--header', 'X-Key: b'] }],
  ['variable of a container', { ...base, args: ['-e', 'A=one'] }, { ...base, args: ['-e', 'A=two'] }],
  ['password in an argument', { ...base, args: ['db://a:one@host/x'] }, { ...base, args: ['db://a:two@host/x'] }],
])('another value of a secret %s is another process and the same launch', (_, one, other) => {
  expect(of(one)).not.toBe(of(other));
  expect(launchOf(one)).toBe(launchOf(other));
});

test.each<[what: string, one: ServerSpec, other: ServerSpec]>([
  ['name', base, { ...base, name: 'other' }],
  ['command', base, { ...base, command: 'bun' }],
  ['folder among the arguments', base, { ...base, args: ['other.js'] }],
  ['flag', { ...base, args: ['--read-only'] }, { ...base, args: ['--all'] }],
  ['value of a harmless option', { ...base, args: ['--root=/a'] }, { ...base, args: ['--root=/b'] }],
  ['name of a variable', base, { ...base, env: { A: '1', C: '2' } }],
  ['name of a header', remote, { ...remote, headers: { 'x-key': 'one' } }],
  ['path', remote, { ...remote, url: 'https://example.com/other' }],
  ['directory', base, { ...base, cwd: '/srv' }],
  ['revision of the protocol', base, { ...base, protocol: 'legacy' }],
])('another %s is another launch', (_, one, other) => {
  expect(launchOf(one)).not.toBe(launchOf(other));
});

test('a fingerprint is the name of a file and nothing can be read in it', () => {
  expect(launchOf({ ...base, env: { TOKEN: 'hunter2' } })).toMatch(/^[\w-]{43}$/);
});

test('a server object is the same launch as long as it is the same object', () => {
  const server = { connect: async () => undefined, close: async () => undefined };
  const make = (): typeof server => server;
  expect(of({ name: 'a', server: make })).toBe(of({ name: 'b', server: make }));
  expect(of({ name: 'a', server })).toBe(of({ name: 'b', server }));
  expect(of({ name: 'a', server: () => server })).not.toBe(of({ name: 'a', server: () => server }));
});
