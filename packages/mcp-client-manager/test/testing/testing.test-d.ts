import { expectTypeOf, test } from 'vitest';
import type { ClientManager } from '../../src/manager.js';
import type { ServerSpec } from '../../src/spec.js';
import {
  type FakeAnswer,
  type FakeClock,
  type FakeServer,
  fakeServer,
  type Leak,
  untilPhase,
} from '../../src/testing.js';

test('with a name, each way of carrying a fake is a spec', () => {
  type Named<Carried> = { name: string } & Carried;
  expectTypeOf<Named<ReturnType<FakeServer['stdio']>>>().toExtend<ServerSpec>();
  expectTypeOf<Named<ReturnType<FakeServer['inProcess']>>>().toExtend<ServerSpec>();
  expectTypeOf<Named<Awaited<ReturnType<FakeServer['http']>>>>().toExtend<ServerSpec>();
});

test('a script written in place is checked', () => {
  fakeServer({
    tools: [{ name: 'a', answers: ['echo', { exit: 7 }, { exit: 'SIGKILL' }, { text: 'a', progress: 3 }] }],
  });
  // @ts-expect-error: not an answer
  fakeServer({ tools: [{ name: 'a', answers: ['shrug'] }] });
  // @ts-expect-error: a key with a typing error
  fakeServer({ tool: [] });
  expectTypeOf<'hang'>().toExtend<FakeAnswer>();
});

test('a state has the details of its phase', () => {
  const manager = {} as ClientManager;
  expectTypeOf(untilPhase<'backoff'>(manager, 'a', 'backoff')).resolves.toHaveProperty('delayMs');
  expectTypeOf(untilPhase<'ready'>(manager, 'a', 'ready')).resolves.not.toHaveProperty('delayMs');
});

test('a leak is a process with its id, or a kind with its count', () => {
  expectTypeOf<Extract<Leak, { kind: 'process' }>['pid']>().toEqualTypeOf<number>();
  expectTypeOf<Exclude<Leak, { kind: 'process' }>['kind']>().toEqualTypeOf<'timer' | 'socket' | 'server' | 'pipe'>();
});

test('a clock ends with its scope', () => {
  expectTypeOf<FakeClock>().toExtend<Disposable>();
});
