import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findLeaks, startHttpEcho } from '@x/test-servers';
import { afterEach, expect, inject, test } from 'vitest';
import type { ServerSpec } from '../../src/spec.js';
import { serverSpec } from '../helpers/servers.js';

const hosts: number[] = [];
afterEach(async () => {
  for (const pid of hosts.splice(0)) {
    // The owner marker names the host, which has ended, so that no other process would clean up.
    await expect.poll(() => findLeaks(`MCP_CLIENT_MANAGER_OWNER=${pid}-`), { timeout: 20_000 }).toEqual([]);
    await expect.poll(() => findLeaks(`MCP_CLIENT_MANAGER_GUARDIAN=${pid}`), { timeout: 20_000 }).toEqual([]);
  }
});

interface End {
  readonly code: number | null;
  readonly lines: unknown[];
  readonly stderr: string;
}

/** Runs a host in a process of its own to its end. An unhandled rejection would end it with code 1. */
async function host(
  story: string,
  specs: readonly ServerSpec[],
  { descriptors }: { descriptors?: number } = {},
): Promise<End> {
  const program = join(inject('programsFolder'), 'host.js');
  const command = [process.execPath, '--unhandled-rejections=strict', '--expose-gc', program];
  const args = [...command, story, JSON.stringify(specs)];
  const limited = ['-c', `ulimit -n ${descriptors}; exec "$0" "$@"`, ...args];
  const [file = '', rest] = descriptors === undefined ? [args[0], args.slice(1)] : ['sh', limited];
  const child = spawn(file, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  hosts.push(child.pid as number);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const lines = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  return { code, lines, stderr };
}

const started = (...names: string[]) => names.map((server) => ({ server, status: 'started' }));
const stubborn = [serverSpec('echo'), serverSpec('ignores-sigterm'), serverSpec('leaves-grandchild', ['--stubborn'])];

test('a host that calls process.exit leaves no process behind, however stubborn', async () => {
  const { code, lines } = await host('calls process.exit', stubborn);
  expect(code).toBe(3);
  expect(lines).toEqual([started('echo', 'ignores-sigterm', 'leaves-grandchild')]);
});

test('a host that calls process.exit while its servers start leaves no process behind', async () => {
  expect((await host('calls process.exit while its servers start', [serverSpec('never-initializes')])).code).toBe(3);
});

test.skipIf(process.platform !== 'linux')('a host that is killed leaves no process behind', async () => {
  const specs = Array.from({ length: 20 }, (_, index) => ({
    ...(index % 2 === 0 ? serverSpec('ignores-sigterm') : serverSpec('leaves-grandchild', ['--stubborn'])),
    name: `server-${index}`,
  }));
  const stories = await Promise.all([host('is killed', specs), host('is killed while its servers start', specs)]);
  expect(stories.map(({ code }) => code)).toEqual([null, null]);
});

test('a host that dies of an uncaught exception leaves no process behind', async () => {
  const { code, stderr } = await host('throws outside of everything', stubborn);
  expect(code).toBe(1);
  expect(stderr).toContain('Error: uncaught');
});

test('after close nothing keeps a host alive', async () => {
  await using echo = await startHttpEcho();
  const specs = [
    serverSpec('echo'),
    serverSpec('modern-only'),
    { name: 'web', url: echo.url },
    { name: 'old web', url: echo.url, protocol: 'legacy' as const },
    serverSpec('leaves-grandchild'),
  ];
  expect(await host('closes and does nothing more', specs)).toEqual({
    code: 0,
    lines: [started('echo', 'modern-only', 'web', 'old web', 'leaves-grandchild')],
    stderr: '',
  });
});

test('close while servers start leaves nothing that keeps the host alive', async () => {
  const silent = serverSpec('never-initializes', [], { limits: { startupTimeoutMs: 60_000 } });
  const specs = [silent, { ...silent, name: 'modern', protocol: '2026-07-28' as const }, serverSpec('modern-only')];
  const { code, lines, stderr } = await host('closes while its servers start', specs);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(lines).toMatchObject([[{ status: 'failed' }, { status: 'failed' }, { status: 'failed' }]]);
});

test('close while servers wait for another attempt leaves no timer', async () => {
  const specs = [serverSpec('exits-at-once'), { name: 'web', url: 'http://127.0.0.1:9/mcp' }];
  const { code, stderr } = await host('closes while its servers wait for another attempt', specs);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('close at any moment settles everything, without an unhandled rejection', async () => {
  const { code, lines, stderr } = await host('closes in the middle of everything', [serverSpec('slow')]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(lines).toHaveLength(8);
  expect(lines.slice(-2)).toEqual(['fulfilled', 'fulfilled']);
});

test('servers that crash without a waiting caller cause no unhandled rejection', async () => {
  const specs = [serverSpec('echo'), serverSpec('modern-only')];
  const { code, stderr } = await host('leaves its promises unwatched', specs);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('a host that has only servers over HTTP ends by itself when it has nothing to do', async () => {
  await using echo = await startHttpEcho();
  const specs = [{ name: 'web', url: echo.url, protocol: 'legacy' as const }];
  expect(await host('does nothing more', specs)).toMatchObject({ code: 0, lines: [started('web')] });
});

/** What the host has open at its own end: stdout and stderr. */
const ownPipes = 2;

test.skipIf(process.platform === 'win32').each([
  ['0', 'spawn-failed'],
  ['6', 'spawn-failed'], // a spawn gets halfway with these
  ['18', 'EMFILE'], // enough for a process, and not for the code that opens its session
  ['40', 'EMFILE', 'web'], // enough for that code, and not for the protocol SDK
])('a host with %s file descriptors left works when there are more again', async (left, reason, name = 'echo') => {
  await using web = await startHttpEcho();
  const specs = [serverSpec('echo'), { name: 'web', url: web.url, protocol: 'legacy' as const }];
  const { code, lines, stderr } = await host(
    `has ${left} file descriptors left`,
    specs.filter((spec) => spec.name === name),
    {
      descriptors: 256, // enough for loading everything at once
    },
  );
  expect({ code, lines, stderr }).toEqual({
    code: 0,
    lines: [reason, [{ type: 'text', text: 'later' }], ownPipes],
    stderr: '',
  });
});

test('a gigabyte on stderr does not fill the memory of the host', { timeout: 300_000 }, async () => {
  // 200 MB before and in the handshake, 200 MB to warm up and 700 MB that are measured.
  const { code, lines } = await host('reads what its servers write to stderr', [
    serverSpec('floods-stderr', ['--megabytes', '100'], { limits: { startupTimeoutMs: 60_000 } }),
  ]);
  expect(code).toBe(0);
  const { grownBytes, tailLength } = lines.at(-1) as { grownBytes: number; tailLength: number };
  expect(grownBytes).toBeLessThan(10_000_000);
  expect(tailLength).toBeLessThanOrEqual(65_536);
  expect(tailLength).toBeGreaterThan(60_000);
});

test('a million notifications hold up neither calls nor anything else', { timeout: 120_000 }, async () => {
  const { code, lines } = await host('is flooded with notifications', [serverSpec('floods-notifications')]);
  expect(code).toBe(0);
  const { slowestTurnMs, told, answered } = lines.at(-1) as Record<'slowestTurnMs' | 'told' | 'answered', number>;
  expect(slowestTurnMs).toBeLessThan(50);
  expect(answered).toBeGreaterThan(20);
  expect(told).toBeLessThan(20_000); // of 200 000 entries of the log and as many changes of lists
});
