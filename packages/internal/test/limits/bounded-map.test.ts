import { expect, test } from 'vitest';
import { BoundedMap } from '../../src/limits/bounded-map.js';

const filled = () => new BoundedMap<string, number>(3).set('a', 1).set('b', 2).set('c', 3);

test('one entry more than the limit drops the oldest', () => {
  expect([...filled().set('d', 4)]).toEqual([
    ['b', 2],
    ['c', 3],
    ['d', 4],
  ]);
});

test('an entry that is set again keeps its age', () => {
  expect([...filled().set('a', 5).set('d', 4).keys()]).toEqual(['b', 'c', 'd']);
});

test('an entry that is renewed is the newest', () => {
  const map = filled().renew('a', 5);
  expect([...map]).toEqual([
    ['b', 2],
    ['c', 3],
    ['a', 5],
  ]);
  expect([...map.renew('d', 4).keys()]).toEqual(['c', 'a', 'd']);
});
