import { afterEach, expect, test } from 'vitest';
import { expectNoLeaks, type FakeServerScript, fakeServer, findLeaks, untilPhase } from '../../../src/testing.js';
import { failureOf, textOf } from '../../helpers/servers.js';
import { managerOfFake } from '../helpers/carriers.js';
import { patiently } from '../helpers/patiently.js';

afterEach(() => expectNoLeaks());

test.each(['legacy', 'modern'] as const)('junk on stdout is stepped over (%s)', async (era) => {
  await using fake = fakeServer({ era, noise: { stdout: 'junk' } });
  await using manager = await managerOfFake(fake, 'stdio');
  expect(textOf(await manager.callTool('fake', 'echo', { n: 1 }))).toBe('{"n":1}');
  expect(manager.server('fake').status.junkLines).toBeGreaterThan(0);
});

test('a flood on stderr holds nothing up', async () => {
  await using fake = fakeServer({ noise: { stderrBytes: 1_000_000 } });
  await using manager = await managerOfFake(fake, 'stdio');
  expect(textOf(await manager.callTool('fake', 'echo', { n: 1 }))).toBe('{"n":1}');
  expect(manager.server('fake').stderrTail().at(-1)).toMatch(/^x+$/);
});

test.each(['SIGKILL', 'SIGSEGV', 'SIGABRT', 'SIGTERM'] as const)('a server may die of %s', async (exit) => {
  await using fake = fakeServer({ tools: [{ name: 'a', answers: [{ exit }, { text: 'again' }] }] });
  await using manager = await managerOfFake(fake, 'stdio');
  const failure = await failureOf(manager.callTool('fake', 'a'));
  expect(failure).toMatchObject({ code: 'outcome-unknown' });
  expect((failure as Error).message).toContain(exit);
  expect(textOf(await manager.callTool('fake', 'a'))).toBe('again');
});

test('a server that closes its stdout counts as gone', async () => {
  await using fake = fakeServer({ tools: [{ name: 'a', answers: ['close-output', { text: 'again' }] }] });
  await using manager = await managerOfFake(fake, 'stdio');
  expect(await failureOf(manager.callTool('fake', 'a'))).toMatchObject({ code: 'outcome-unknown' });
  expect(textOf(await manager.callTool('fake', 'a'))).toBe('again');
  expect(new Set(fake.starts().map(({ pid }) => pid)).size).toBe(2);
});

test.each<[string, FakeServerScript]>([
  ['the end of stdin', { ignores: ['stdin-end'] }],
  ['SIGTERM', { ignores: ['SIGTERM'] }],
  ['both', { ignores: ['stdin-end', 'SIGTERM'] }],
])('a server that ignores %s is ended all the same', async (_, script) => {
  await using fake = fakeServer(script);
  await using manager = await managerOfFake(fake, 'stdio');
  await manager.server('fake').start();
  await manager.server('fake').stop();
  expect(await findLeaks()).toEqual([]);
});

test.each(['plain', 'stubborn'] as const)('a %s grandchild is ended with its server', async (grandchild) => {
  await using fake = fakeServer({ grandchild });
  await using manager = await managerOfFake(fake, 'stdio');
  await manager.server('fake').start();
  await expect.poll(() => findLeaks(), patiently).toHaveLength(2);
  await manager.server('fake').stop();
  expect(await findLeaks()).toEqual([]);
});

test('a server that always exits at once is parked', async () => {
  await using fake = fakeServer({ starts: [{ exit: 3, stderr: 'no disk' }] });
  await using manager = await managerOfFake(fake, 'stdio', { restart: { maxAttempts: 1 } });
  await failureOf(manager.server('fake').start());
  await untilPhase(manager, 'fake', 'parked');
  expect(fake.starts()).toHaveLength(2);
});
