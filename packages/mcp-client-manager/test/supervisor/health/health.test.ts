import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test, vi } from 'vitest';
import {
  failureOf,
  fixtureSpec,
  isRunning,
  managerOf,
  managerWith,
  serverSpec,
  stateOf,
  textOf,
} from '../../helpers/servers.js';

afterEach(async () => {
  vi.useRealTimers();
  await expectNoLeaks();
});

const impatient = { method: 'ping', timeoutMs: 1_000 } as const;

test.each(['echo', 'modern-only'] as const)('a %s server that answers is healthy', async (name) => {
  await using manager = managerOf(serverSpec(name));
  const server = manager.server(name);
  expect(server.status.health).toBe('unknown');
  expect(await server.checkHealth()).toBe(false);
  await server.start();
  expect(await server.checkHealth()).toBe(true);
  expect(server.status.health).toBe('healthy');
  await server.stop();
  expect(server.status.health).toBe('unknown');
});

test('a server that does not know ping counts as healthy', async () => {
  await using manager = managerOf(fixtureSpec('scripted.mjs'));
  await manager.server('fixture').start();
  expect(await manager.server('fixture').checkHealth()).toBe(true);
});

test('a tool can be the health check, and a result that is an error means that the server is not well', async () => {
  const check = (tool: string) => ({ health: { method: 'tool_call', tool, args: { a: 1, b: 2 } } }) as const;
  await using manager = managerOf(
    { ...serverSpec('echo', [], check('add')), name: 'good' },
    { ...serverSpec('echo', [], check('fail')), name: 'bad' },
    { ...serverSpec('echo', [], check('no_such_tool')), name: 'none' },
  );
  await manager.start();
  expect(await manager.server('good').checkHealth()).toBe(true);
  for (const name of ['bad', 'none']) expect(await manager.server(name).checkHealth()).toBe(false);
  expect(manager.server('bad').status).toMatchObject({ phase: 'starting', health: 'unhealthy' });
  await stateOf(manager, 'none', 'failed');
});

test('a host decides which tools a health check may call; a ping takes the place of the others', async () => {
  const asked: unknown[] = [];
  const check = (tool: string) => ({ health: { method: 'tool_call', tool } }) as const;
  await using manager = managerWith(
    {
      allowHealthCall: (call) => {
        asked.push(call);
        if (call.server === 'throws') throw new Error('no');
        return call.server === 'allowed';
      },
    },
    { ...serverSpec('echo', [], check('fail')), name: 'allowed' },
    { ...serverSpec('echo', [], check('fail')), name: 'held' },
    { ...serverSpec('echo', [], check('fail')), name: 'throws' },
  );
  await manager.start();
  const checked = ['allowed', 'held', 'throws'].map(async (name) => manager.server(name).checkHealth());
  expect(await Promise.all(checked)).toEqual([false, true, true]);
  expect(asked).toContainEqual({ server: 'held', tool: 'fail' });
  expect(manager.server('allowed').status.catalogProblems).toEqual([]);
  for (const name of ['held', 'throws']) {
    expect(manager.server(name).status.catalogProblems).toEqual([expect.stringContaining('does not call "fail"')]);
    expect(manager.server(name).state).toBe('running');
  }
});

test('three misses in a row end a server that is frozen, and it is started again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  await using manager = managerOf(serverSpec('echo', [], { health: { ...impatient, intervalMs: 20_000 } }));
  const server = manager.server('echo');
  await server.start();
  const { pid } = server.status;
  process.kill(pid as number, 'SIGSTOP');
  const misses: unknown[] = [];
  manager.events.on('server-state', ({ state }) => {
    if (state.phase === 'ready' && state.generation === 1) misses.push([state.misses, server.state]);
    if (state.phase === 'stopping') vi.useRealTimers(); // a process goes in no other time
  });
  while (server.phase === 'ready') await vi.advanceTimersByTimeAsync(1_000);
  expect(misses).toEqual([
    [1, 'degraded'],
    [2, 'degraded'],
  ]);
  await stateOf(manager, 'echo', ({ phase, generation }) => phase === 'ready' && generation === 2);
  expect(isRunning(pid as number)).toBe(false);
  expect(server.status).toMatchObject({
    health: 'healthy',
    lastError: 'Server "echo" failed 3 health checks in a row: no answer within 1000 ms',
  });
});

test.each([
  ['its callers give up after 20 s', 20_000, 300_000, 40_000],
  ['a call has an hour', undefined, 20_000, 400_000],
])('a frozen server is replaced when %s', async (_, giveUpMs, intervalMs, atMostMs) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  await using manager = managerOf(serverSpec('echo', [], { health: { ...impatient, intervalMs } }));
  const server = manager.server('echo');
  await server.start();
  const { pid } = server.status;
  process.kill(pid as number, 'SIGSTOP');
  manager.events.on('server-state', ({ state }) => {
    if (state.phase === 'stopping') vi.useRealTimers(); // a process goes in no other time
  });
  await vi.advanceTimersByTimeAsync(1); // the call is later than the last byte
  const end = new AbortController();
  const call = failureOf(server.callTool('echo', { text: 'x' }, { timeoutMs: 3_600_000, signal: end.signal }));
  let passedMs = 0;
  for (; server.phase === 'ready' && passedMs < 900_000; passedMs += 1_000) {
    if (passedMs === giveUpMs) end.abort();
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(passedMs).toBeLessThanOrEqual(atMostMs);
  expect(passedMs).toBeGreaterThan(giveUpMs ?? 300_000);
  await stateOf(manager, 'echo', ({ phase, generation }) => phase === 'ready' && generation === 2);
  await call;
});

test('checks on request never end a server', async () => {
  await using manager = managerOf(serverSpec('echo', [], { health: impatient }));
  const server = manager.server('echo');
  await server.start();
  const { pid } = server.status;
  process.kill(pid as number, 'SIGSTOP');
  for (let round = 0; round < 3; round += 1) expect(await server.checkHealth()).toBe(false);
  expect(server).toMatchObject({ lifecycle: { phase: 'ready', misses: 0 }, status: { pid, health: 'unhealthy' } });
  process.kill(pid as number, 'SIGCONT');
  expect(await server.checkHealth()).toBe(true);
});

test('a server that is busy with a call is not ended for its silence', async () => {
  await using manager = managerOf(serverSpec('slow', [], { health: impatient }));
  const server = manager.server('slow');
  await server.start();
  const { pid } = server.status;
  const end = new AbortController();
  const call = new Promise<Promise<unknown>[]>((resolve) => {
    const options = { signal: end.signal, onProgress: () => resolve([failure]) };
    const failure = failureOf(server.callTool('wait', { ms: 600_000_000, steps: 60_000_000 }, options));
  });
  const [failure] = await call;
  process.kill(pid as number, 'SIGSTOP');
  const checks = [server.checkHealth(), server.checkHealth(), server.checkHealth()];
  expect(await Promise.all(checks)).toEqual([false, false, false]);
  expect(server.lifecycle).toMatchObject({ phase: 'ready', misses: 0 });
  process.kill(pid as number, 'SIGCONT');
  expect(await server.checkHealth()).toBe(true);
  expect(server.status).toMatchObject({ pid, health: 'healthy' });
  end.abort();
  await failure;
});

test('a check that the end of its server cuts short says nothing about the next process', async () => {
  await using manager = managerOf(serverSpec('echo', [], { health: impatient }));
  const server = manager.server('echo');
  await server.start();
  process.kill(server.status.pid as number, 'SIGSTOP');
  const checks = [server.checkHealth(), server.checkHealth(), server.checkHealth()];
  await server.restart();
  expect(await Promise.all(checks)).toEqual([false, false, false]);
  expect(server).toMatchObject({
    state: 'running',
    lifecycle: { misses: 0, generation: 2 },
    status: { health: 'healthy' },
  });
});

test('the signal of a check ends it with its reason, and that is no miss', async () => {
  await using manager = managerOf(serverSpec('echo', [], { health: impatient }));
  const server = manager.server('echo');
  await server.start();
  process.kill(server.status.pid as number, 'SIGSTOP');
  const end = new AbortController();
  const check = failureOf(server.checkHealth({ signal: end.signal }));
  const reason = new Error('enough');
  end.abort(reason);
  expect(await check).toBe(reason);
  expect(server.lifecycle).toMatchObject({ misses: 0 });
  process.kill(server.status.pid as number, 'SIGCONT');
});

test.each([1_000, 2_500])(
  'a frozen server in use is replaced when calls reached their limit of %i ms',
  async (timeoutMs) => {
    await using manager = managerOf(serverSpec('echo', [], { health: { ...impatient, intervalMs: 300_000 } }));
    const server = manager.server('echo');
    await server.start();
    const { pid } = server.status;
    const ended = stateOf(manager, 'echo', 'stopping');
    const back = stateOf(manager, 'echo', ({ phase, generation }) => phase === 'ready' && generation === 2);
    process.kill(pid as number, 'SIGSTOP');
    const call = (): Promise<unknown> => failureOf(server.callTool('echo', { text: 'x' }, { timeoutMs }));
    const calls = [call(), call()];
    await Promise.race(calls);
    calls.push(call(), call()); // younger than their limit, and no protection: a server answers in no other order
    expect(await ended).toMatchObject({ next: { phase: 'backoff', failures: 1 } });
    await back;
    expect(server.status).toMatchObject({
      restarts: 1,
      lastError: expect.stringMatching(/^Server "echo" answered neither its calls nor a health check for [34] s/),
    });
    for (const failure of await Promise.all(calls)) {
      expect(failure).toMatchObject({ code: expect.stringMatching(/^(timed-out|outcome-unknown)$/), retryable: false });
    }
    expect(textOf(await server.callTool('echo', { text: 'again' }))).toBe('again');
  },
);

test('a server that makes progress is not replaced for calls that reach their limits', async () => {
  await using manager = managerOf(serverSpec('slow', [], { health: impatient }));
  const server = manager.server('slow');
  await server.start();
  const wait = { ms: 3_600_000, steps: 36_000 };
  const failures = Array.from({ length: 8 }, () =>
    failureOf(server.callTool('wait', wait, { timeoutMs: 1_000, onProgress: () => undefined })),
  );
  for (const failure of await Promise.all(failures)) expect(failure).toMatchObject({ code: 'timed-out' });
  expect(await server.checkHealth()).toBe(true);
  expect(server.lifecycle).toMatchObject({ phase: 'ready', generation: 1, misses: 0 });
});
