import { expect, test } from 'vitest';
import { combineReports, isUnchanged, nothingChanged } from '../../src/config/reload-report.js';

const effects = ['added', 'removed', 'updated', 'restarted', 'kept'] as const;
type Effect = (typeof effects)[number] | undefined;

const reportWith = (effect: Effect) => (effect ? { ...nothingChanged, [effect]: ['x'] } : nothingChanged);

test.each<[Effect, Effect, Effect]>([
  ['added', 'kept', 'added'],
  ['added', 'updated', 'added'],
  ['added', 'restarted', 'added'],
  ['added', 'removed', undefined],
  ['removed', undefined, 'removed'],
  ['removed', 'added', 'restarted'],
  ['updated', 'kept', 'updated'],
  ['updated', undefined, 'updated'],
  ['updated', 'restarted', 'restarted'],
  ['updated', 'removed', 'removed'],
  ['restarted', 'updated', 'restarted'],
  ['restarted', 'removed', 'removed'],
  ['kept', 'kept', 'kept'],
  ['kept', 'updated', 'updated'],
  ['kept', 'removed', 'removed'],
  [undefined, 'added', 'added'],
  [undefined, undefined, undefined],
])('%s, then %s, is %s', (earlier, later, both) => {
  const report = combineReports(reportWith(earlier), reportWith(later));
  expect(effects.filter((effect) => report[effect].includes('x'))).toEqual(both ? [both] : []);
  expect(isUnchanged(report)).toBe(both === undefined || both === 'kept');
});

test('rules of both are reported once', () => {
  const earlier = { ...nothingChanged, roles: ['b', 'a'], trust: true };
  const later = { ...nothingChanged, roles: ['c', 'a'], settings: true };
  expect(combineReports(earlier, later)).toEqual({
    ...nothingChanged,
    roles: ['a', 'b', 'c'],
    trust: true,
    settings: true,
  });
});
