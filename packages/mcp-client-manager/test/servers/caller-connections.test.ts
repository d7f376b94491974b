import type { CallHandler } from '@x/internal/contracts';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { createClientManager } from '../../src/manager.js';
import type { ServerSpec } from '../../src/spec.js';
import { everything, handlerOf } from '../helpers/call-handler.js';
import { failureOf, fixtureSpec, isRunning, managerOf, managerWith, serverSpec, textOf } from '../helpers/servers.js';

afterEach(expectNoLeaks);

const ownConnections = { connections: 'per-caller' } as const;
const form = { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: { type: 'object' } } };
const refusedForSeveral = { error: { code: -32_094, message: expect.stringContaining('several clients have calls') } };
const jsonOf = (result: Parameters<typeof textOf>[0]): unknown => JSON.parse(textOf(result));

describe('at a server of the revisions before 2026-07-28, while another client holds a call', () => {
  const held = async (spec: Partial<ServerSpec>) => {
    const manager = managerWith({ capabilities: { ...everything } }, { ...fixtureSpec('asks-late.mjs'), ...spec });
    const [ada, bob] = [handlerOf('ada'), handlerOf('bob')];
    const holding = manager.callTool('fixture', 'hold', {}, { handler: bob });
    holding.catch(() => undefined);
    const asked = jsonOf(await manager.callTool('fixture', 'ask', form, { handler: ada }));
    await manager.close();
    return { asked, bob: bob.asked };
  };

  test('a client gets no server requests by default, since they cannot be attributed', async () => {
    expect(await held({})).toEqual({ asked: refusedForSeveral, bob: [] });
  });

  test('a client with its own connection gets the server request', async () => {
    expect(await held(ownConnections)).toEqual({ asked: { result: { by: 'ada' } }, bob: [] });
  });
});

describe('with a connection for each caller that has a handler', () => {
  const slow = (extras: object = {}): ServerSpec => ({ ...serverSpec('slow'), ...ownConnections, ...extras });
  const pidOf = async (manager: ReturnType<typeof managerOf>, handler?: CallHandler): Promise<number> =>
    Number(textOf(await manager.callTool('slow', 'pid', {}, { handler })));

  test('each has a process for all its calls, and callers without a handler share one', async () => {
    await using manager = managerOf(slow());
    const [ada, bob] = [handlerOf('ada'), handlerOf('bob')];
    const shared = await pidOf(manager);
    expect(await pidOf(manager, handlerOf('cleo', undefined, {}))).toBe(shared);
    expect(manager.server('slow').status.pid).toBe(shared);
    const [first, second] = await Promise.all([pidOf(manager, ada), pidOf(manager, bob)]);
    expect(new Set([shared, first, second]).size).toBe(3);
    expect(await pidOf(manager, handlerOf('ada'))).toBe(first);
    const passed = await manager.server('slow').request('tools/call', { name: 'pid' }, { handler: bob });
    expect(textOf(passed as never)).toBe(String(second));
  });

  test('clients of one owner share one', async () => {
    await using manager = managerOf(slow());
    const caller = { principal: 'ada' };
    const pid = async (client: string) =>
      textOf(await manager.callTool('slow', 'pid', {}, { handler: handlerOf(client), caller }));
    expect(await pid('editor')).toBe(await pid('terminal'));
  });

  test('a stop ends all of them, and a later call starts a new one', async () => {
    await using manager = managerOf(slow());
    const ada = handlerOf('ada');
    const pids = [await pidOf(manager), await pidOf(manager, ada)];
    await manager.server('slow').stop();
    expect(pids.map(isRunning)).toEqual([false, false]);
    expect(pids).not.toContain(await pidOf(manager, ada));
  });

  test('a restart replaces them after the calls that are under way', async () => {
    await using manager = managerOf(slow());
    const ada = handlerOf('ada');
    const before = await pidOf(manager, ada);
    let waiting: Promise<unknown> | undefined;
    await new Promise<void>((resolve) => {
      const args = { ms: 300, steps: 10 };
      waiting = manager.callTool('slow', 'wait', args, { handler: ada, onProgress: () => resolve() });
    });
    await manager.server('slow').restart();
    await waiting;
    expect(await pidOf(manager, ada)).not.toBe(before);
  });

  test('one that is not used is ended, and the calls that come then have another', async () => {
    await using manager = managerOf(slow({ limits: { idleStopMs: 1_000 } }));
    const ada = handlerOf('ada');
    const before = await pidOf(manager, ada);
    await expect.poll(() => isRunning(before), { timeout: 10_000 }).toBe(false);
    expect(await pidOf(manager, ada)).not.toBe(before);
  });

  test('a server that only a person starts has none before it was started', async () => {
    await using manager = managerOf(slow({ autoStart: false }));
    const ada = handlerOf('ada');
    expect(await failureOf(pidOf(manager, ada))).toMatchObject({ code: 'not-started' });
    await manager.server('slow').start();
    expect(await pidOf(manager, ada)).not.toBe(manager.server('slow').status.pid);
  });

  test('another configuration holds for all of them', async () => {
    await using manager = managerOf(slow());
    const ada = handlerOf('ada');
    const before = await pidOf(manager, ada);
    await manager.apply({ servers: [slow({ limits: { maxQueuedCalls: 3 } })] });
    expect(await pidOf(manager, ada)).toBe(before);
    await manager.apply({ servers: [slow({ ...serverSpec('slow', ['--handshake-ms', '1']), ...ownConnections })] });
    expect(await pidOf(manager, ada)).not.toBe(before);
    await manager.apply({ servers: [serverSpec('slow', ['--handshake-ms', '1'])] });
    expect(await pidOf(manager, ada)).toBe(manager.server('slow').status.pid ?? (await pidOf(manager)));
    await manager.apply({ servers: [slow({ disabled: true })] });
    expect(await failureOf(pidOf(manager, ada))).toMatchObject({ code: 'server-disabled' });
  });

  test('the 33rd caller replaces the least recently used connection, or is refused if all are in use', async () => {
    await using manager = managerOf(slow({ limits: { startupTimeoutMs: 60_000 } }));
    const handlers = Array.from({ length: 33 }, (_, index) => handlerOf(`client ${index}`));
    const callers = handlers.slice(0, 32);
    const oldest = await pidOf(manager, handlers[0]);
    const held = new AbortController();
    const wait = (handler: CallHandler) =>
      manager
        .callTool('slow', 'wait', { ms: 600_000 }, { handler, signal: held.signal, timeoutMs: 600_000 })
        .catch(() => undefined);
    const waiting = callers.map(wait);
    expect(await failureOf(pidOf(manager, handlers[32]))).toMatchObject({ code: 'busy', retryable: true });
    held.abort();
    await Promise.all(waiting);
    const [, ...others] = callers;
    for (const handler of others) await pidOf(manager, handler);
    await pidOf(manager, handlers[32]);
    await expect.poll(() => isRunning(oldest), { timeout: 10_000 }).toBe(false);
  });

  test('nothing is started for a server that is being removed', async () => {
    await using manager = managerOf(slow());
    const handle = manager.server('slow');
    let waiting: Promise<unknown> | undefined;
    await new Promise<void>((resolve) => {
      waiting = handle.callTool('wait', { ms: 500, steps: 10 }, { onProgress: () => resolve() });
    });
    const applied = manager.apply({ servers: [] });
    await expect.poll(() => handle.phase).toBe('draining');
    expect(await failureOf(handle.callTool('pid', {}, { handler: handlerOf('ada') }))).toBeInstanceOf(Error);
    await Promise.all([waiting, applied]);
  });

  test('nothing is started once the manager is closed', async () => {
    const manager = managerOf(slow());
    const ada = handlerOf('ada');
    const pid = await pidOf(manager, ada);
    await manager.close();
    expect(isRunning(pid)).toBe(false);
    expect(await failureOf(pidOf(manager, ada))).toMatchObject({ code: 'closed' });
  });

  test('notices go to the processes of callers, too', async () => {
    const spec = { ...serverSpec('asks-host'), ...ownConnections };
    await using manager = managerWith({ capabilities: { ...everything } }, spec);
    const ada = handlerOf('ada');
    const changes = async (handler?: CallHandler) =>
      jsonOf(await manager.callTool('asks-host', 'roots_changes', {}, { handler }));
    expect([await changes(), await changes(ada)]).toEqual([0, 0]);
    await manager.server('asks-host').notify('notifications/roots/list_changed');
    expect([await changes(), await changes(ada)]).toEqual([1, 1]);
  });

  test('the log level that is set holds for those that run, and for those that start later', async () => {
    await using manager = managerOf({ ...serverSpec('resources-and-prompts'), ...ownConnections });
    const server = manager.server('resources-and-prompts');
    const level = async (handler: CallHandler) => textOf(await server.callTool('level', {}, { handler }));
    const [ada, bob] = [handlerOf('ada'), handlerOf('bob')];
    const before = await level(ada);
    await server.setLogLevel('error');
    expect([before, await level(ada), await level(bob)]).toEqual([before, 'error', 'error']);
    expect(before).not.toBe('error');
  });

  test('a call through request() uses the handler of its own caller', async () => {
    await using manager = managerWith(
      { capabilities: { ...everything } },
      { ...fixtureSpec('asks-late.mjs'), ...ownConnections },
    );
    const [ada, bob] = [handlerOf('ada'), handlerOf('bob')];
    const holding = manager.callTool('fixture', 'hold', {}, { handler: bob });
    holding.catch(() => undefined);
    const passed = manager.server('fixture').request('tools/call', { name: 'ask', arguments: form }, { handler: ada });
    expect(jsonOf((await passed) as never)).toEqual({ result: { by: 'ada' } });
  });
});

test('a server that is one object has one connection', () => {
  const server = { connect: async () => undefined, close: async () => undefined };
  const spec = { name: 'mine', server, ...ownConnections };
  expect(() => createClientManager({ servers: [spec] })).toThrow(
    'server "mine": "connections": "per-caller" requires a function',
  );
  expect(() => createClientManager({ servers: [{ ...spec, connections: 'own' } as never] })).toThrow('connections');
});
