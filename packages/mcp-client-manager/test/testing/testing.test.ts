import { expect, test } from 'vitest';
import * as entry from '../../src/testing.js';

test('the entry ./testing exports exactly this', () => {
  expect(Object.keys(entry).sort()).toEqual([
    'expectNoLeaks',
    'fakeServer',
    'findLeaks',
    'installFakeClock',
    'openResources',
    'untilPhase',
  ]);
});
