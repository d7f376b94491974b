import { expect, test } from 'vitest';
import { orderOwners } from '../../src/sources/owners.js';

test('a call goes to the own node first, then to the one with the least to do', () => {
  const targets = [
    { node: 'c', isOwn: false, inFlight: 1 },
    { node: 'b', isOwn: false, inFlight: 0 },
    { node: 'a', isOwn: false, inFlight: 1 },
    { node: 'here', isOwn: true, inFlight: 9 },
  ];
  expect(orderOwners(targets).map(({ node }) => node)).toEqual(['here', 'b', 'a', 'c']);
});
