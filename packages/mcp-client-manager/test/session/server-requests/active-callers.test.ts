import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import type { ActiveCaller } from '../../../src/session/server-requests/active-caller.js';
import { ActiveCallers } from '../../../src/session/server-requests/active-callers.js';
import { handlerOf } from '../../helpers/call-handler.js';

const clients = ['ada', 'bob', 'eve'] as const;
const step = fc.oneof(
  fc.record({ type: fc.constant('enter' as const), client: fc.constantFrom(...clients) }),
  fc.record({ type: fc.constant('leave' as const), which: fc.nat() }),
);

test('never routes a server request to another client', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, hasAnonymous) => {
      const callers = new ActiveCallers();
      const present: ActiveCaller[] = [];
      const seen = new Set<unknown>(); // within the last seconds
      for (const one of steps) {
        if (one.type === 'enter') {
          present.push(callers.add(handlerOf(one.client)));
          seen.add(one.client);
        } else present.splice(one.which % Math.max(present.length, 1), 1)[0]?.end('abandoned');
        const isOneOf = seen.size === 1 && !hasAnonymous ? present.at(-1) : 'several';
        const nobody = seen.size === 0 ? undefined : 'gone';
        expect(callers.choose(hasAnonymous)).toBe(present.length === 0 ? nobody : isOneOf);
      }
    }),
  );
});

test('never attributes a message to another owner', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const callers = new ActiveCallers();
      const present: ActiveCaller[] = [];
      const seen = new Set<unknown>(); // within the last seconds
      for (const one of steps) {
        const owner = one.type === 'enter' && one.client === 'bob' ? 'ada' : undefined;
        if (one.type === 'enter') {
          present.push(callers.add({ ...handlerOf(one.client), owner }));
          seen.add(owner ?? one.client);
        } else present.splice(one.which % Math.max(present.length, 1), 1)[0]?.end('abandoned');
        const [only] = seen;
        expect(callers.chooseOwner(false)).toEqual(
          seen.size === 0 ? undefined : seen.size === 1 ? { owner: only } : 'several',
        );
        expect(callers.chooseOwner(true)).toBe('several');
      }
    }),
  );
});

test('chooses the owner of the calls in progress, also after calls of others', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const callers = new ActiveCallers();
  const ownedBy = (owner: string) => ({ ...handlerOf(`client of ${owner}`), owner });
  callers.add(ownedBy('ada')).end('answered');
  expect(callers.chooseOwner(false)).toEqual({ owner: 'ada' });
  const bob = callers.add(ownedBy('bob'));
  expect(callers.chooseOwner(false)).toBe('several');
  vi.advanceTimersByTime(250);
  expect(callers.chooseOwner(false)).toEqual({ owner: 'bob' });
  bob.end('answered');
  expect(callers.chooseOwner(false)).toEqual({ owner: 'bob' });
  vi.advanceTimersByTime(250);
  expect(callers.chooseOwner(false)).toBe('several');
});

test('chooses the newest call among clients without an owner', () => {
  const callers = new ActiveCallers();
  callers.add(handlerOf('ada')).end('answered');
  const bob = callers.add(handlerOf('bob'));
  expect(callers.chooseOwner(false)).toEqual({ owner: 'bob' });
  callers.add(handlerOf('eve')).end('answered');
  expect(callers.chooseOwner(false), 'what was answered meanwhile').toBe('several');
  bob.end('answered');
  callers.add({ ...handlerOf('cleo'), owner: 'somebody' });
  expect(callers.chooseOwner(false), 'what is somebody’s').toBe('several');
});

test('counts abandoned calls of all owners', () => {
  const callers = new ActiveCallers();
  callers.add(handlerOf('ada')).end('abandoned');
  callers.add(handlerOf('bob'));
  expect(callers.chooseOwner(false)).toBe('several');
});

test('assumes no single owner after a request without a handler', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const callers = new ActiveCallers();
  callers.addAnonymous();
  expect(callers.chooseOwner(false)).toBe('several');
  const ada = callers.add(handlerOf('ada'));
  expect(callers.chooseOwner(false)).toEqual({ owner: 'ada' });
  ada.end('answered');
  vi.advanceTimersByTime(250);
  expect(callers.chooseOwner(false)).toBe('several');
});

afterEach(() => vi.useRealTimers());

test.each([
  ['answered', 250],
  ['abandoned', 5_000],
] as const)('a client whose call was %s counts for %i ms more', (how, ms) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const callers = new ActiveCallers();
  const one = callers.add(handlerOf('ada'));
  const other = callers.add(handlerOf('bob'));
  one.end(how);
  vi.advanceTimersByTime(ms - 1);
  expect(callers.choose(false)).toBe('several');
  vi.advanceTimersByTime(1);
  expect(callers.choose(false)).toBe(other);
});

test('evicts clients of an idle session, without a timer left', () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  const callers = new ActiveCallers();
  callers.add(handlerOf('ada')).end('abandoned');
  for (let call = 0; call < 10; call++) callers.add(handlerOf(`client ${call}`)).end('answered');
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(300);
  expect(vi.getTimerCount(), 'of the client whose call was given up').toBe(1);
  vi.advanceTimersByTime(5_001);
  expect(vi.getTimerCount()).toBe(0);
  expect(callers.choose(false)).toBeUndefined();
});

test('a request after a new call is never about an answered one, but may be about an abandoned one', () => {
  const callers = new ActiveCallers();
  callers.add(handlerOf('ada')).end('answered');
  const other = callers.add(handlerOf('bob'));
  expect(callers.choose(false)).toBe(other);
  callers.add(handlerOf('eve')).end('abandoned');
  expect(callers.choose(false)).toBe('several');
});

test('prefers a call without an open server request', async () => {
  const callers = new ActiveCallers();
  const [first, second] = [callers.add(handlerOf('ada')), callers.add(handlerOf('ada'))];
  let answer: () => void = () => undefined;
  const asked = second.whileAnswering(() => new Promise<void>((resolve) => (answer = resolve)));
  expect(callers.choose(false)).toBe(first);
  answer();
  await asked;
  expect(callers.choose(false)).toBe(second);
});

test('the signal of a call aborts at its end, also if it is read later', () => {
  const entry = new ActiveCallers().add(handlerOf('ada'));
  const { ended } = entry;
  expect(ended.aborted).toBe(false);
  entry.end('answered');
  entry.end('abandoned');
  expect([ended.aborted, entry.isOver, entry.ended.aborted]).toEqual([true, true, true]);
  const late = new ActiveCallers().add(handlerOf('ada'));
  late.end('answered');
  expect(late.ended.aborted).toBe(true);
});
