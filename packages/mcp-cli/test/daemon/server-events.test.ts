import { type ClientManager, createClientManager, type StdioServerSpec } from '@x/mcp-client-manager';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterEach, expect, test, vi } from 'vitest';
import { logServerEvents } from '../../src/daemon/server-events.js';
import { until } from '../helpers/until.js';

afterEach(async () => {
  vi.useRealTimers();
  await expectNoLeaks();
});

const plain = { redact: (text: string) => text };

function managerOf(fields: Partial<StdioServerSpec>): ClientManager {
  return createClientManager({
    servers: [{ name: 'git', ...testServer('echo'), limits: { shutdownTimeoutMs: 1_000 }, ...fields }],
  });
}

test('each failed check, the end after the third, and the restart are a line each', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  await using manager = managerOf({ health: { method: 'ping', timeoutMs: 1_000, intervalMs: 20_000 } });
  const lines: string[] = [];
  using _log = logServerEvents({ manager, redactor: plain }, (line) => lines.push(line));
  const server = manager.server('git');
  await server.start();
  const first = Number(server.status.pid);

  process.kill(first, 'SIGSTOP');
  while (!lines.at(-1)?.includes('check-failed')) await vi.advanceTimersByTimeAsync(1_000);
  process.kill(first, 'SIGCONT');
  expect(await server.checkHealth()).toBe(true);
  process.kill(first, 'SIGSTOP');
  manager.events.on('server-state', ({ state }) => {
    if (state.phase === 'stopping') vi.useRealTimers(); // a process ends in real time
  });
  while (server.phase === 'ready') await vi.advanceTimersByTimeAsync(1_000);
  await server.start();

  const missed = 'server "git" check-failed: no answer within 1000 ms';
  expect(lines).toEqual([
    'server "git" starting',
    `server "git" ready: process ${first}, 8 tools`,
    missed,
    'server "git" recovered',
    missed,
    missed,
    missed,
    expect.stringMatching(
      /^server "git" failed: failed 3 health checks in a row: no answer within 1000 ms; next attempt in 0\.\d s$/,
    ),
    'server "git" restarting',
    `server "git" ready: process ${server.status.pid}, 8 tools`,
  ]);
});

test('a restart on request is no failure', async () => {
  await using manager = managerOf({});
  const lines: string[] = [];
  using _log = logServerEvents({ manager, redactor: plain }, (line) =>
    lines.push(line.replace(/process \d+/, 'process')),
  );
  await manager.server('git').start();
  await manager.server('git').restart();
  await manager.server('git').stop();
  expect(lines).toEqual([
    'server "git" starting',
    'server "git" ready: process, 8 tools',
    'server "git" restarting',
    'server "git" starting',
    'server "git" ready: process, 8 tools',
    'server "git" stopped',
  ]);
});

test('text of a server is redacted before it is cut, and stays on its line', async () => {
  const secret = 'x'.repeat(490);
  await using manager = managerOf({
    ...testServer('exits-at-once', '--stderr', `${secret}\n\u001b[2J2026-11-27T00:00:00.000Z server "git" ready`),
    restart: { onFailure: false },
  });
  const lines: string[] = [];
  const redactor = { redact: (text: string) => text.replaceAll(secret, '***') };
  using _log = logServerEvents({ manager, redactor }, (line) => lines.push(line));
  await manager
    .server('git')
    .start()
    .catch(() => undefined);
  await until(() => lines.length === 3);
  for (const line of lines) {
    expect(line).toMatch(/^server "git" (starting|start-failed: .+|withdrawn: .+)$/);
    expect(line).not.toMatch(/\p{Cc}|x{20}/u);
  }
});
