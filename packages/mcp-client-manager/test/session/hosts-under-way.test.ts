import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HostsUnderWay, type HostUnderWay } from '../../src/session/hosts-under-way.js';
import { hostOf } from '../helpers/call-host.js';

const clients = ['ada', 'bob', 'eve'] as const;
const step = fc.oneof(
  fc.record({ type: fc.constant('enter' as const), client: fc.constantFrom(...clients) }),
  fc.record({ type: fc.constant('leave' as const), which: fc.nat() }),
);

test('whatever has happened, one client’s question never reaches another', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const hosts = new HostsUnderWay();
      const present: HostUnderWay[] = [];
      for (const one of steps) {
        if (one.type === 'enter') present.push(hosts.enter(hostOf(one.client)));
        else present.splice(one.which % Math.max(present.length, 1), 1)[0]?.leave('answered');
        const distinct = new Set(present.map(({ host }) => host.client));
        const expected = distinct.size > 1 ? 'several' : present.at(-1);
        expect(hosts.choose()).toBe(expected);
      }
    }),
  );
});

test('a call that was given up counts for a while, for its own client alone', () => {
  const hosts = new HostsUnderWay();
  hosts.enter(hostOf('ada')).leave('given-up');
  expect(hosts.choose()).toBe('gone');
  const bob = hosts.enter(hostOf('bob'));
  expect(hosts.choose()).toBe('several');
  bob.leave('answered');
  const ada = hosts.enter(hostOf('ada'));
  expect(hosts.choose()).toBe(ada);
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
