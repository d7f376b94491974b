import { expect, test } from 'vitest';
import { launchFingerprint } from '../src/launch-fingerprint.js';
import { resolveSpec } from '../src/resolve-spec.js';
import type { ServerSpec } from '../src/spec.js';

const base = { name: 'files', command: 'node', args: ['server.js'], env: { A: '1', B: '2' } } satisfies ServerSpec;

function of(spec: ServerSpec): string {
  return launchFingerprint(resolveSpec(spec));
}

test('what does not touch the process does not touch the fingerprint', () => {
  const changes: Partial<ServerSpec>[] = [
    { name: 'other' },
    { autoStart: false },
    { startupTimeoutMs: 5_000 },
    { shutdownTimeoutMs: 9_000 },
    { maxRestartAttempts: 9 },
    { healthCheckIntervalMs: 60_000 },
    { idleStopMs: 5_000 },
    { priority: 5 },
    { deniedTools: ['a'] },
    { maxConcurrentCalls: 1 },
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
])('a launch with %j is another launch', (change) => {
  expect(of({ ...base, ...change })).not.toBe(of(base));
});

test('arguments are told apart by where they end', () => {
  expect(of({ ...base, args: ['a b'] })).not.toBe(of({ ...base, args: ['a', 'b'] }));
});

test('for an HTTP server url, headers and sign-in count', () => {
  const remote = { name: 'remote', url: 'https://example.com/mcp', headers: { authorization: 'one' } };
  expect(of({ ...remote })).toBe(of({ ...remote }));
  expect(of({ ...remote, headers: { authorization: 'two' } })).not.toBe(of(remote));
  expect(of({ ...remote, url: 'https://example.com/other' })).not.toBe(of(remote));
  expect(of({ ...remote, auth: { provider: 'oauth' } })).not.toBe(of(remote));
});

test('no value of the launch can be read in it', () => {
  expect(of({ ...base, env: { TOKEN: 'hunter2' } })).toMatch(/^[\w-]{43}$/);
});

test('a server object is the same launch as long as it is the same object', () => {
  const server = { connect: async () => undefined, close: async () => undefined };
  const make = (): typeof server => server;
  expect(of({ name: 'a', server: make })).toBe(of({ name: 'b', server: make }));
  expect(of({ name: 'a', server })).toBe(of({ name: 'b', server }));
  expect(of({ name: 'a', server: () => server })).not.toBe(of({ name: 'a', server: () => server }));
});
