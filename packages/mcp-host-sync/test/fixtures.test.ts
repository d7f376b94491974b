import { describe, expect, test } from 'vitest';
import { fixtureServers, hostFixtures } from './helpers/fixtures.js';
import { moment, sync } from './helpers/in-memory-sync.js';

test('has twenty fixtures', () => {
  expect(hostFixtures).toHaveLength(20);
});

describe.each(hostFixtures.map((fixture) => [fixture.host, fixture] as const))('%s', (host, fixture) => {
  const added = sync(moment(host, fixture.before), fixtureServers);

  test('both servers are added byte for byte as expected', () => {
    expect(added.after.text).toBe(fixture.after);
  });

  test('a second run changes nothing', () => {
    expect(sync(added.after, fixtureServers).plan.files).toEqual([]);
  });

  test('removing the servers restores the file', () => {
    const removed = sync(added.after, []);
    expect(removed.after.text).toBe(fixture.before);
    expect(removed.after.ownership.files).toEqual([]);
  });
});

test('a host without remote servers gets a bridge if that is allowed', () => {
  const fixture = hostFixtures.find(({ afterBridge }) => afterBridge !== undefined);
  const added = sync(moment('claude-desktop', fixture?.before), fixtureServers, { bridgeRemote: true });
  expect(added.after.text).toBe(fixture?.afterBridge);
  expect(sync(added.after, []).after.text).toBe(fixture?.before);
});
