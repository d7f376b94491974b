import { setImmediate } from 'node:timers/promises';
import { expectNoLeaks } from '@x/test-servers';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { type ClientManager, createClientManager } from '../src/manager.js';
import type { StdioServerSpec } from '../src/spec.js';
import { failureOf, isRunning, managerOf, serverSpec, stateOf, textOf } from './helpers/servers.js';

afterEach(expectNoLeaks);

const nothing = { added: [], removed: [], updated: [], restarted: [], kept: [], failures: [] };
const before = serverSpec('slow');
const changed = serverSpec('slow', [], { env: { CHANGED: 'yes' } });

/** A call in progress until it is ended. */
async function callIn(manager: ClientManager): Promise<{ readonly end: () => Promise<void> }> {
  const ending = new AbortController();
  const { signal } = ending;
  let failure: Promise<unknown> | undefined;
  await new Promise<void>((resolve) => {
    const args = { ms: 600_000, steps: 6_000 };
    failure = failureOf(manager.callTool('slow', 'wait', args, { signal, onProgress: () => resolve() }));
  });
  return {
    end: async () => {
      const reason = new Error('The call has taken long enough.');
      ending.abort(reason);
      expect(await failure).toBe(reason);
    },
  };
}

test('another configuration is in effect while a changed server finishes its calls', async () => {
  await using manager = managerOf(before);
  const call = await callIn(manager);
  const first = manager.apply({ servers: [changed] });
  expect(await manager.apply({ servers: [changed, serverSpec('echo')] })).toEqual({
    ...nothing,
    added: ['echo'],
    kept: ['slow'],
  });
  expect(textOf(await manager.callTool('echo', 'echo', { text: 'here' }))).toBe('here');
  expect(manager.server('slow').phase).toBe('draining');
  await call.end();
  expect(await first).toEqual({ ...nothing, restarted: ['slow'] });
});

test('the last of several changes of one server counts, and none ends its calls', async () => {
  await using manager = managerOf(before);
  const call = await callIn(manager);
  const variants = [{ disabled: true }, {}, { disabled: true, env: { CHANGED: 'yes' } }, { env: { CHANGED: 'last' } }];
  const applied = variants.map((extras) => manager.apply({ servers: [serverSpec('slow', [], extras)] }));
  await applied[1];
  expect(manager.server('slow').phase).toBe('draining');
  const next = manager.callTool('slow', 'pid');
  const { pid } = manager.server('slow').status;
  await call.end();
  expect(textOf(await next)).not.toBe(String(pid));
  expect(await Promise.all(applied)).toMatchObject([
    { updated: ['slow'] },
    { updated: ['slow'] },
    { restarted: ['slow'] },
    { restarted: ['slow'] },
  ]);
  expect(manager.server('slow').lifecycle).toMatchObject({ phase: 'ready', generation: 2 });
});

test('a server that comes back under its name starts when the earlier one has ended', async () => {
  await using manager = managerOf(before);
  const call = await callIn(manager);
  const { pid } = manager.server('slow').status;
  const earlier = manager.server('slow');
  const removed = manager.apply({ servers: [] });
  await manager.apply({ servers: [changed] });
  await manager.apply({ servers: [] });
  expect(await manager.apply({ servers: [changed] })).toEqual({ ...nothing, added: ['slow'] });
  expect(manager.server('slow')).not.toBe(earlier);

  const states: string[] = [];
  manager.events.on('server-state', ({ state: { phase } }) => {
    expect(phase === 'starting' && isRunning(Number(pid))).toBe(false);
    states.push(phase);
  });
  const answer = manager.callTool('slow', 'pid');
  await stateOf(manager, 'slow', 'queued');
  await call.end();
  expect(textOf(await answer)).not.toBe(String(pid));
  expect(await removed).toEqual({ ...nothing, removed: ['slow'] });
  expect([...new Set(states)]).toEqual(['queued', 'starting', 'ready']);
});

test('a manager that is closed ends the calls of removed servers, and starts none that waits for them', async () => {
  const manager = managerOf(before);
  let failure: Promise<unknown> | undefined;
  await new Promise<void>((resolve) => {
    const args = { ms: 600_000, steps: 6_000 };
    failure = failureOf(manager.callTool('slow', 'wait', args, { onProgress: () => resolve() }));
  });
  const removed = manager.apply({ servers: [] });
  await manager.apply({ servers: [changed] });
  const waiting = failureOf(manager.server('slow').start());
  await manager.close();
  expect(await removed).toMatchObject({ removed: ['slow'], failures: [] });
  expect(await failure).toMatchObject({ code: 'outcome-unknown' });
  expect(await waiting).toMatchObject({ code: 'closed' });
});

/** An entry for each server; `undefined` for one that is removed. */
type Edit = readonly (Omit<StdioServerSpec, 'name' | 'command' | 'args'> | undefined)[];

const names = ['one', 'two', 'three'];
const entry = fc.record(
  {
    disabled: fc.boolean(),
    priority: fc.integer({ min: 0, max: 9 }),
    env: fc.record({ VERSION: fc.constantFrom('a', 'b') }),
  },
  { requiredKeys: [] },
);
const step = fc.record({
  edit: fc.tuple(...names.map(() => fc.option(entry, { nil: undefined, freq: 4 }))),
  /** Servers that get a call after the edit. */
  called: fc.subarray(names),
  isAwaited: fc.boolean(),
});

function specsOf(edit: Edit): readonly StdioServerSpec[] {
  return edit.flatMap((fields, index) =>
    fields === undefined ? [] : [{ ...serverSpec('slow', [], fields), name: names[index] as string }],
  );
}

test('sent calls have their results under any edits, and the last configuration is in effect', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 6 }), async (steps) => {
      await using manager = createClientManager({ servers: specsOf(names.map(() => ({}))) });
      await manager.start();
      const calls: Promise<string>[] = [];
      const applied: Promise<unknown>[] = [];
      for (const { edit, called, isAwaited } of steps) {
        for (const name of called) {
          if (!manager.servers().some((server) => server.name === name && server.phase === 'ready')) continue;
          await new Promise<void>((resolve, reject) => {
            const call = manager.callTool(name, 'wait', { ms: 60, steps: 3 }, { onProgress: () => resolve() });
            calls.push(call.then(textOf));
            call.catch(reject);
          });
        }
        const apply = manager.apply({ servers: specsOf(edit) });
        applied.push(apply.then(({ failures }) => expect(failures).toEqual([])));
        await (isAwaited ? apply : setImmediate());
      }
      for (const text of await Promise.all(calls)) expect(text).toBe('waited 60 ms');
      await Promise.all(applied);
      const last = specsOf(steps.at(-1)?.edit ?? []);
      expect(await manager.apply({ servers: last })).toEqual({ ...nothing, kept: last.map(({ name }) => name) });
      for (const { name, disabled } of last) {
        const call = manager.callTool(name, 'echo', { text: name });
        if (disabled) expect(await failureOf(call)).toMatchObject({ code: 'server-disabled' });
        else expect(textOf(await call)).toBe(name);
      }
    }),
    { numRuns: 5 },
  );
}, 60_000);
