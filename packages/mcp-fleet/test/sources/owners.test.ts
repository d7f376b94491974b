import { expect, test } from 'vitest';
import { orderOwners } from '../../src/sources/owners.js';

test('a call goes to this node first, then to the node with the fewest calls', () => {
  const targets = [
    { node: 'c', isOwn: false, inFlight: 1 },
    { node: 'b', isOwn: false, inFlight: 0 },
    { node: 'a', isOwn: false, inFlight: 1 },
    { node: 'here', isOwn: true, inFlight: 9 },
  ];
  expect(orderOwners(targets).map(({ node }) => node)).toEqual(['here', 'b', 'a', 'c']);
});
