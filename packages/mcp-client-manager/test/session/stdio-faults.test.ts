import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expectNoLeaks, testServer, withOwner } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import type { ManagerError } from '../../src/errors.js';
import { openStdioSession } from '../../src/session/open-stdio-session.js';
import type { LineChannel } from '../../src/transport/message-channel.js';
import { StdioChannel } from '../../src/transport/stdio-channel.js';
import { deferred } from '../helpers/deferred.js';
import { openSession } from '../helpers/open-session.js';
import { failureOf, managerOf, serverSpec } from '../helpers/servers.js';

afterEach(expectNoLeaks);

const { signal } = new AbortController();

test('ignores a handshake response after the timeout', async () => {
  const { command, args } = testServer('slow', '--handshake-ms', '100');
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'], env: withOwner() });
  const end = new AbortController();
  const channel = new StdioChannel({ stdin: child.stdin, stdout: child.stdout, maxMessageBytes: 10_000 });
  const asked = deferred();
  const watched: LineChannel = {
    listen: (listeners) => channel.listen(listeners),
    sendLines: (text) => {
      const handover = channel.sendLines(text);
      asked.resolve();
      return handover;
    },
  };
  const opening = openStdioSession(watched, {
    server: 'slow',
    protocol: 'auto',
    clientInfo: { name: 'test', version: '1.0.0' },
    signal: end.signal,
    handlers: {},
    validateOutput: true,
    onJunk: () => undefined,
    listeners: {
      onListChanged: () => undefined,
      onResourceUpdated: () => undefined,
      onElicitationCompleted: () => undefined,
      onLog: () => undefined,
      onCallsInFlight: () => undefined,
    },
  });
  await asked.promise;
  end.abort(new Error('too late'));
  expect(await failureOf(opening)).toMatchObject({ message: 'too late' });
  await once(child.stdout, 'data'); // the late response has no effect
  child.kill('SIGKILL');
  await once(child, 'exit');
});

test('a result of 100 MB fails only its own request', { timeout: 60_000 }, async () => {
  await using opened = await openSession('huge-result');
  const { session } = opened;
  const huge = failureOf(session.request('tools/call', { name: 'big', arguments: { bytes: 100_000_000 } }, { signal }));
  const other = session.request('tools/call', { name: 'echo', arguments: { text: 'fine' } }, { signal });
  expect(await other).toMatchObject({ content: [{ text: 'fine' }] });
  expect(await huge).toMatchObject({ code: 'result-too-large' });
  expect(await opened.text('echo', { text: 'still fine' })).toBe('still fine');
});

test('requests wait for a server that does not read, and end with their signals', async () => {
  await using opened = await openSession('stops-reading');
  const { session } = opened;
  await opened.text('stop');
  const end = new AbortController();
  const text = 'x'.repeat(1_000_000);
  const requests = Array.from({ length: 50 }, () =>
    failureOf(session.request('tools/call', { name: 'length', arguments: { text } }, { signal: end.signal })),
  );
  await new Promise((resolve) => setImmediate(resolve));
  expect(opened.process.stdin?.writableLength).toBeLessThan(2_100_000); // the first one, and no other beside it
  end.abort(new Error('enough'));
  for (const failure of await Promise.all(requests)) expect(failure).toMatchObject({ message: 'enough' });
  expect(session.callsInFlight).toBe(0);
});

test('tool calls wait for a server that does not read, and time out', async () => {
  await using manager = managerOf(serverSpec('stops-reading'));
  const server = manager.server('stops-reading');
  await server.callTool('stop');
  const args = { text: 'x'.repeat(1_000_000) };
  const calls = Array.from({ length: 50 }, () => failureOf(server.callTool('length', args, { timeoutMs: 300 })));
  const failures = (await Promise.all(calls)) as ManagerError[];
  expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(['timed-out']));
  expect(failures.filter(({ retryable }) => !retryable)).toHaveLength(1); // that one is on its way
});

test('a server that reads again receives all waiting requests', async () => {
  await using opened = await openSession('stops-reading', { args: ['--resume-ms', '200'] });
  const { session } = opened;
  await opened.text('stop');
  const text = 'x'.repeat(1_000_000);
  const requests = Array.from({ length: 50 }, () =>
    session.request('tools/call', { name: 'length', arguments: { text } }, { signal }),
  );
  for (const result of await Promise.all(requests)) expect(result).toMatchObject({ content: [{ text: '1000000' }] });
});
