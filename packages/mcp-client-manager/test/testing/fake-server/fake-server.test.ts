import { existsSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { expectNoLeaks, fakeServer, installFakeClock, untilPhase } from '../../../src/testing.js';
import { failureOf, textOf } from '../../helpers/servers.js';
import { carriers, everyWay, managerOfFake } from '../helpers/carriers.js';
import { patiently } from '../helpers/patiently.js';

afterEach(() => expectNoLeaks());

test.each(carriers)('an empty script is a well-behaved server with the tool echo (%s)', async (carrier) => {
  await using fake = fakeServer();
  await using manager = await managerOfFake(fake, carrier);
  const server = manager.server('fake');
  expect(JSON.parse(textOf(await server.callTool('echo', { text: 'hello' })))).toEqual({ text: 'hello' });
  expect(server.listTools().map(({ name }) => name)).toEqual(['echo']);
  expect(await server.checkHealth()).toBe(true);
  expect(server.session?.era).toBe(carrier === 'http' ? 'modern' : 'legacy');
});

describe.each(everyWay)('over $carrier in the $era era', ({ carrier, era }) => {
  test('the server supports only that era', async () => {
    await using fake = fakeServer({ era });
    await using manager = await managerOfFake(fake, carrier);
    await manager.server('fake').start();
    expect(manager.server('fake').session).toMatchObject({ era, serverInfo: { name: 'fake-server' } });
  });

  test('reports all calls and starts with any outcome', async () => {
    await using fake = fakeServer({ era, tools: [{ name: 'echo' }, { name: 'pay', answers: [{ exit: 7 }] }] });
    await using manager = await managerOfFake(fake, carrier);
    await manager.callTool('fake', 'echo', { text: 'hello' });
    await failureOf(manager.callTool('fake', 'pay', { euros: 5 }));
    const pid = carrier === 'stdio' ? expect.any(Number) : process.pid;
    expect(fake.starts()[0]).toEqual({ pid });
    expect(fake.calls()).toEqual([
      { tool: 'echo', arguments: { text: 'hello' }, start: 1, isCancelled: false },
      { tool: 'pay', arguments: { euros: 5 }, start: 1, isCancelled: false },
    ]);
    expect(fake.calls('pay')).toHaveLength(1);
  });

  test('each call is answered by the next step, and the last one stands for all later ones', async () => {
    const error = { code: -32_000, message: 'no', data: { why: 'because' } };
    const result = { content: [], isError: true };
    await using fake = fakeServer({ era, tools: [{ name: 'a', answers: [{ text: '1' }, { result }, { error }] }] });
    await using manager = await managerOfFake(fake, carrier);
    expect(textOf(await manager.callTool('fake', 'a'))).toBe('1');
    expect(await manager.callTool('fake', 'a')).toMatchObject(result);
    for (let call = 3; call <= 5; call += 1) {
      expect(await failureOf(manager.callTool('fake', 'a'))).toMatchObject({ code: 'server-error', rpc: error });
    }
  });

  test('a server that dies during a call is restarted and continues with its steps', async () => {
    const answers = [{ text: '1' }, { exit: 7 }, { text: '3' }];
    await using fake = fakeServer({ era, tools: [{ name: 'a', answers }] });
    await using manager = await managerOfFake(fake, carrier);
    expect(textOf(await manager.callTool('fake', 'a'))).toBe('1');
    expect(await failureOf(manager.callTool('fake', 'a'))).toMatchObject({ code: 'outcome-unknown' });
    expect(textOf(await manager.callTool('fake', 'a'))).toBe('3');
    expect(fake.calls('a').map(({ start }) => start)).toEqual([1, 1, 2]);
  });

  test('a server that ends at its first start is tried again', async () => {
    await using fake = fakeServer({ era, starts: [{ exit: 3, stderr: 'no disk' }, 'works'] });
    await using manager = await managerOfFake(fake, carrier);
    const started = manager.server('fake').start();
    // Over HTTP `initialize` follows the dropped `server/discover` at once, and meets the second start.
    if (carrier === 'http' && era === 'legacy') await started;
    else expect(await failureOf(started)).toMatchObject({ code: 'start-failed' });
    if (carrier === 'stdio') expect(manager.server('fake').stderrTail()).toContain('no disk');
    await untilPhase(manager, 'fake', 'ready');
    expect(fake.starts()).toHaveLength(2);
  });

  test('a server that hangs runs out of time in the handshake', async () => {
    await using fake = fakeServer({ era, starts: ['hangs'] });
    await using manager = await managerOfFake(fake, carrier, { limits: { startupTimeoutMs: 1_000 } });
    const failure = await failureOf(manager.server('fake').start());
    expect(failure).toMatchObject({ code: 'start-failed', cause: { code: 'handshake-timed-out' } });
  });

  test('a slow handshake is waited for', async () => {
    await using fake = fakeServer({ era, starts: [{ handshakeDelayMs: 100 }] });
    await using manager = await managerOfFake(fake, carrier);
    await manager.server('fake').start();
    expect(fake.starts()).toHaveLength(1);
  });

  test('a handshake may be refused', async () => {
    await using fake = fakeServer({ era, starts: [{ refusal: { code: -32_001, message: 'not today' } }] });
    await using manager = await managerOfFake(fake, carrier);
    const failure = await failureOf(manager.server('fake').start());
    expect(failure).toMatchObject({ code: 'start-failed', cause: { code: 'handshake-refused' } });
    expect((failure as Error).message).toContain('not today');
  });

  test('a hanging call is cancelled after its timeout, and the next one succeeds', async () => {
    using clock = installFakeClock();
    await using fake = fakeServer({ era, tools: [{ name: 'a', answers: ['hang', { text: 'there' }] }] });
    await using manager = await managerOfFake(fake, carrier);
    await manager.server('fake').start();
    const failure = failureOf(manager.callTool('fake', 'a', {}, { timeoutMs: 20_000 }));
    await expect.poll(() => fake.calls('a'), patiently).toHaveLength(1);
    await clock.advance(20_000);
    expect(await failure).toMatchObject({ code: 'timed-out' });
    expect(textOf(await manager.callTool('fake', 'a'))).toBe('there');
    await expect.poll(() => fake.calls('a').map(({ isCancelled }) => isCancelled), patiently).toEqual([true, false]);
  });

  test('an oversized result fails, and concurrent calls succeed', async () => {
    await using fake = fakeServer({ era, tools: [{ name: 'echo' }, { name: 'a', answers: [{ sizeBytes: 200_000 }] }] });
    await using manager = await managerOfFake(fake, carrier, { options: { maxMessageBytes: 100_000 } });
    const [large, small] = await Promise.all([
      failureOf(manager.callTool('fake', 'a')),
      manager.callTool('fake', 'echo', { n: 1 }),
    ]);
    expect(large).toMatchObject({ code: 'result-too-large' });
    expect(textOf(small)).toBe('{"n":1}');
    expect(fake.starts()).toHaveLength(1);
  });

  test('progress comes before the answer, to those who ask for it', async () => {
    const answers = [{ text: 'done', progress: 3, afterMs: 40 }];
    await using fake = fakeServer({ era, tools: [{ name: 'a', answers }] });
    await using manager = await managerOfFake(fake, carrier);
    const seen: unknown[] = [];
    const onProgress = (progress: unknown): void => void seen.push(progress);
    expect(textOf(await manager.callTool('fake', 'a', {}, { onProgress }))).toBe('done');
    expect(seen).toMatchObject([1, 2, 3].map((progress) => ({ progress, total: 3 })));
    expect(textOf(await manager.callTool('fake', 'a'))).toBe('done');
  });

  test('a change of the tools is announced, and forgotten with the next start', async () => {
    const answers = [{ text: 'changed', adds: [{ name: 'new', answers: [{ text: 'I am new' }] }], removes: ['old'] }];
    await using fake = fakeServer({ era, tools: [{ name: 'a', answers }, { name: 'old' }] });
    await using manager = await managerOfFake(fake, carrier);
    const names = (): string[] =>
      manager
        .server('fake')
        .listTools()
        .map(({ name }) => name);
    await manager.server('fake').start();
    expect(names()).toEqual(['a', 'old']);
    // The stream of notifications opens beside the start.
    await expect
      .poll(async () => {
        await manager.callTool('fake', 'a');
        return names();
      }, patiently)
      .toEqual(expect.arrayContaining(['a', 'new']));
    expect(names()).not.toContain('old');
    expect(textOf(await manager.callTool('fake', 'new'))).toBe('I am new');
    if (carrier === 'http') return; // it restarts only by itself
    await manager.server('fake').restart();
    expect(names()).toEqual(['a', 'old']);
  });

  test('a change may be kept quiet', async () => {
    const answers = [{ adds: [{ name: 'new' }], announcements: 0 }];
    await using fake = fakeServer({ era, tools: [{ name: 'a', answers }] });
    await using manager = await managerOfFake(fake, carrier);
    await manager.callTool('fake', 'a');
    expect(manager.server('fake').listTools()).toHaveLength(1);
    expect(await manager.server('fake').discoverTools()).toHaveLength(2);
  });

  test.each([
    ['plain', 5, 0],
    ['empty-text', 5, 0],
    ['repeated', 4, 1],
    ['endless', 5, 1],
  ] as const)('tools are listed in pages with a cursor that is %s', async (cursor, tools, problems) => {
    const five = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name }));
    await using fake = fakeServer({ era, tools: five, pages: { size: 2, cursor } });
    await using manager = await managerOfFake(fake, carrier);
    await manager.server('fake').start();
    expect(manager.server('fake').listTools()).toHaveLength(tools);
    expect(manager.server('fake').status.catalogProblems).toHaveLength(problems);
  });

  test.each([
    ['every time', undefined, 2],
    ['once', 1, 5],
  ])('page 2 may fail %s', async (_, times, tools) => {
    const five = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name }));
    const failing = { page: 2, ...(times !== undefined && { times }) };
    await using fake = fakeServer({ era, tools: five, pages: { size: 2, failing } });
    await using manager = await managerOfFake(fake, carrier);
    await manager.server('fake').start();
    expect(await manager.server('fake').discoverTools()).toHaveLength(tools);
  });

  test('an unknown tool is refused by the server', async () => {
    await using fake = fakeServer({ era });
    await using manager = await managerOfFake(fake, carrier);
    expect(await failureOf(manager.callTool('fake', 'nothing'))).toBeInstanceOf(Error);
    expect(textOf(await manager.callTool('fake', 'echo', {}))).toBe('{}');
  });
});

test('each way of carrying one fake is a server of its own', async () => {
  await using fake = fakeServer({ tools: [{ name: 'a', answers: [{ text: '1' }, { text: '2' }] }] });
  for (const carrier of carriers) {
    await using manager = await managerOfFake(fake, carrier);
    expect(textOf(await manager.callTool('fake', 'a'))).toBe('1');
  }
  expect(fake.calls('a')).toHaveLength(3);
});

test('a closed fake keeps its history, has no files, and cannot be used', async () => {
  const fake = fakeServer();
  const { args } = fake.stdio();
  const [, folder = ''] = args;
  {
    await using manager = await managerOfFake(fake, 'stdio');
    await manager.callTool('fake', 'echo', {});
  }
  expect(existsSync(folder)).toBe(true);
  await fake.close();
  await fake.close();
  expect(existsSync(folder)).toBe(false);
  expect(fake.calls()).toHaveLength(1);
  expect(() => fake.stdio()).toThrow('This fake server is closed');
  await expect(fake.http()).rejects.toThrow('This fake server is closed');
});
