import { expect, test } from 'vitest';
import { wayOf } from '../../dashboard/src/views/call-way.js';
import type { CallView, FleetView } from '../../src/dashboard/page-messages.js';

const callOf = (server: string): CallView => ({ id: 1, at: 0, tool: 't', outcome: 'ok', client: 'editor 1.0', server });
const row = (node: string, server: string, source: string, isOwner = false) => {
  return { node, server, source, isOwner, placement: isOwner ? 'singleton' : 'local', state: 'running' };
};
const fleet: FleetView = {
  ...{ fleet: 'team', node: 'desk', phase: 'joined', isBusConnected: true, nodes: [], moreServers: 0, alarms: [] },
  servers: [
    row('desk', 'files', 'files'),
    row('build-2', 'files', 'files@build-2'),
    { ...row('build-1', 'tickets', 'tickets@fleet'), placement: 'singleton' },
    row('build-2', 'tickets', 'tickets@fleet', true),
    row('build-1', 'search', 'search@fleet'),
    row('build-2', 'search', 'search@fleet'),
  ],
};

test.each([
  ['of a server of this daemon', 'files', 'editor 1.0 → this daemon → files'],
  ['of a server of another node', 'files@build-2', 'editor 1.0 → this daemon → node build-2 → files'],
  ['of a singleton', 'tickets@fleet', 'editor 1.0 → this daemon → node build-2 → tickets'],
  [
    'of a server of several nodes',
    'search@fleet',
    'editor 1.0 → this daemon → one of the nodes build-1, build-2 → search',
  ],
  ['of a server that no node has any more', 'gone@fleet', 'editor 1.0 → this daemon → gone@fleet'],
])('the way of a call %s names its hops', (_name, server, way) => {
  expect(wayOf(callOf(server), fleet)).toBe(way);
});

test('a call without a client, outside of a fleet, has the other hops', () => {
  expect(wayOf({ ...callOf('files'), client: undefined }, undefined)).toBe(
    'a client without a name → this daemon → files',
  );
});
