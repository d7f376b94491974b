import { expect, test } from 'vitest';
import { FLEET_WIDE, fleetName, isFleetName } from '../../src/names/source-name.js';

test('recognizes what a fleet names, and nothing else', () => {
  expect(isFleetName(fleetName('files', 'builder'))).toBe(true);
  expect(isFleetName(fleetName('a@b', FLEET_WIDE))).toBe(true);
  for (const name of ['files', '@acme/db', 'me@example.com', 'files@', '']) expect(isFleetName(name)).toBe(false);
});
