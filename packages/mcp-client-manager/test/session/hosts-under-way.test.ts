import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import type { HostUnderWay } from '../../src/session/host-under-way.js';
import { HostsUnderWay } from '../../src/session/hosts-under-way.js';
import { hostOf } from '../helpers/call-host.js';

const clients = ['ada', 'bob', 'eve'] as const;
const step = fc.oneof(
  fc.record({ type: fc.constant('enter' as const), client: fc.constantFrom(...clients) }),
  fc.record({ type: fc.constant('leave' as const), which: fc.nat() }),
);

test('whatever has happened, one client’s question never reaches another', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, hasHostless) => {
      const hosts = new HostsUnderWay();
      const present: HostUnderWay[] = [];
      const seen = new Set<unknown>(); // within the last seconds
      for (const one of steps) {
        if (one.type === 'enter') {
          present.push(hosts.enter(hostOf(one.client)));
          seen.add(one.client);
        } else present.splice(one.which % Math.max(present.length, 1), 1)[0]?.leave('given-up');
        const isOneOf = seen.size === 1 && !hasHostless ? present.at(-1) : 'several';
        const nobody = seen.size === 0 ? undefined : 'gone';
        expect(hosts.choose(hasHostless)).toBe(present.length === 0 ? nobody : isOneOf);
      }
    }),
  );
});

test('whatever has happened, what concerns one owner is never taken for another owner’s', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const hosts = new HostsUnderWay();
      const present: HostUnderWay[] = [];
      const seen = new Set<unknown>(); // within the last seconds
      for (const one of steps) {
        const owner = one.type === 'enter' && one.client === 'bob' ? 'ada' : undefined;
        if (one.type === 'enter') {
          present.push(hosts.enter({ ...hostOf(one.client), owner }));
          seen.add(owner ?? one.client);
        } else present.splice(one.which % Math.max(present.length, 1), 1)[0]?.leave('given-up');
        const [only] = seen;
        expect(hosts.chooseOwner(false)).toEqual(
          seen.size === 0 ? undefined : seen.size === 1 ? { owner: only } : 'several',
        );
        expect(hosts.chooseOwner(true)).toBe('several');
      }
    }),
  );
});

test('the owner of what is under way is the choice, although there were others before', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const hosts = new HostsUnderWay();
  const ownedBy = (owner: string) => ({ ...hostOf(`client of ${owner}`), owner });
  hosts.enter(ownedBy('ada')).leave('answered');
  expect(hosts.chooseOwner(false)).toEqual({ owner: 'ada' });
  const bob = hosts.enter(ownedBy('bob'));
  expect(hosts.chooseOwner(false)).toBe('several');
  vi.advanceTimersByTime(250);
  expect(hosts.chooseOwner(false)).toEqual({ owner: 'bob' });
  bob.leave('answered');
  expect(hosts.chooseOwner(false)).toEqual({ owner: 'bob' });
  vi.advanceTimersByTime(250);
  expect(hosts.chooseOwner(false)).toBe('several');
});

test('of clients that belong to nobody, the one whose call began last is the choice', () => {
  const hosts = new HostsUnderWay();
  hosts.enter(hostOf('ada')).leave('answered');
  const bob = hosts.enter(hostOf('bob'));
  expect(hosts.chooseOwner(false)).toEqual({ owner: 'bob' });
  hosts.enter(hostOf('eve')).leave('answered');
  expect(hosts.chooseOwner(false), 'what was answered meanwhile').toBe('several');
  bob.leave('answered');
  hosts.enter({ ...hostOf('cleo'), owner: 'somebody' });
  expect(hosts.chooseOwner(false), 'what is somebody’s').toBe('several');
});

test('what was given up counts, whoever it belongs to', () => {
  const hosts = new HostsUnderWay();
  hosts.enter(hostOf('ada')).leave('given-up');
  hosts.enter(hostOf('bob'));
  expect(hosts.chooseOwner(false)).toBe('several');
});

test('after a request that was made for nobody in particular, nothing is taken for the only owner’s', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const hosts = new HostsUnderWay();
  hosts.enterHostless();
  expect(hosts.chooseOwner(false)).toBe('several');
  const ada = hosts.enter(hostOf('ada'));
  expect(hosts.chooseOwner(false)).toEqual({ owner: 'ada' });
  ada.leave('answered');
  vi.advanceTimersByTime(250);
  expect(hosts.chooseOwner(false)).toBe('several');
});

afterEach(() => vi.useRealTimers());

test.each([
  ['answered', 250],
  ['given-up', 5_000],
] as const)('a client whose call was %s counts for %i ms more', (how, ms) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const hosts = new HostsUnderWay();
  const one = hosts.enter(hostOf('ada'));
  const other = hosts.enter(hostOf('bob'));
  one.leave(how);
  vi.advanceTimersByTime(ms - 1);
  expect(hosts.choose(false)).toBe('several');
  vi.advanceTimersByTime(1);
  expect(hosts.choose(false)).toBe(other);
});

test('clients are forgotten when nothing is sent or asked any more, and no timer stays', () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  const hosts = new HostsUnderWay();
  hosts.enter(hostOf('ada')).leave('given-up');
  for (let call = 0; call < 10; call++) hosts.enter(hostOf(`client ${call}`)).leave('answered');
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(300);
  expect(vi.getTimerCount(), 'of the client whose call was given up').toBe(1);
  vi.advanceTimersByTime(5_001);
  expect(vi.getTimerCount()).toBe(0);
  expect(hosts.choose(false)).toBeUndefined();
});

test('what a server asks after it was sent a new call is not about one that it has answered, but may be about one given up', () => {
  const hosts = new HostsUnderWay();
  hosts.enter(hostOf('ada')).leave('answered');
  const other = hosts.enter(hostOf('bob'));
  expect(hosts.choose(false)).toBe(other);
  hosts.enter(hostOf('eve')).leave('given-up');
  expect(hosts.choose(false)).toBe('several');
});

test('of a client’s calls, one that is not being asked already is asked', async () => {
  const hosts = new HostsUnderWay();
  const [first, second] = [hosts.enter(hostOf('ada')), hosts.enter(hostOf('ada'))];
  let answer: () => void = () => undefined;
  const asked = second.duringQuestion(() => new Promise<void>((resolve) => (answer = resolve)));
  expect(hosts.choose(false)).toBe(first);
  answer();
  await asked;
  expect(hosts.choose(false)).toBe(second);
});

test('the end of a call is an abort for those who have asked for it, before and after', () => {
  const entry = new HostsUnderWay().enter(hostOf('ada'));
  const { ended } = entry;
  expect(ended.aborted).toBe(false);
  entry.leave('answered');
  entry.leave('given-up');
  expect([ended.aborted, entry.isOver, entry.ended.aborted]).toEqual([true, true, true]);
  const late = new HostsUnderWay().enter(hostOf('ada'));
  late.leave('answered');
  expect(late.ended.aborted).toBe(true);
});
