import { describe, expect, test } from 'vitest';
import { fixtureServers, hostFixtures } from './helpers/fixtures.js';
import { moment, sync } from './helpers/in-memory-sync.js';

test('there are twenty fixtures', () => {
  expect(hostFixtures).toHaveLength(20);
});

describe.each(hostFixtures.map((fixture) => [fixture.host, fixture] as const))('%s', (host, fixture) => {
  const added = sync(moment(host, fixture.before), fixtureServers);

  test('has both servers added, byte for byte as its users want it', () => {
    expect(added.after.text).toBe(fixture.after);
  });

  test('is not touched by a second run', () => {
    expect(sync(added.after, fixtureServers).plan.files).toEqual([]);
  });

  test('is what it was before once the servers are taken out again', () => {
    const removed = sync(added.after, []);
    expect(removed.after.text).toBe(fixture.before);
    expect(removed.after.ownership.files).toEqual([]);
  });
});

test('a host that cannot hold remote servers gets a bridge where that is allowed', () => {
  const fixture = hostFixtures.find(({ afterBridge }) => afterBridge !== undefined);
  const added = sync(moment('claude-desktop', fixture?.before), fixtureServers, { bridgeRemote: true });
  expect(added.after.text).toBe(fixture?.afterBridge);
  expect(sync(added.after, []).after.text).toBe(fixture?.before);
});
