import { describe, expect, test } from 'vitest';
import { isSameMembership, type Membership, nodeNameFrom, readMembership } from '../../src/fleet/membership.js';

const membership: Membership = {
  servers: ['nats://10.0.0.5:4222'],
  fleet: 'default',
  node: 'build-1',
  login: { kind: 'password', user: 'build-1', file: '/etc/fleet/password' },
  domain: 'hub',
  replicas: 3,
  tls: { caFile: '/etc/fleet/ca.pem' },
};

test('a membership is read back as it was written', () => {
  expect(readMembership(JSON.parse(JSON.stringify({ format: 1, ...membership })))).toEqual(membership);
});

test.each([
  ['nothing', undefined],
  ['no servers', { ...membership, servers: [] }],
  ['a server that is no text', { ...membership, servers: [4222] }],
  ['a node that is no name', { ...membership, node: 'build 1' }],
  ['a fleet that is no name', { ...membership, fleet: '' }],
  ['a login of another kind', { ...membership, login: { kind: 'magic', file: '/x' } }],
  ['a password without its user', { ...membership, login: { kind: 'password', file: '/x' } }],
  ['a token without its file', { ...membership, login: { kind: 'token' } }],
  ['a domain that is no name', { ...membership, domain: 'a.b' }],
  ['more replicas than there can be', { ...membership, replicas: 6 }],
  ['TLS files that are no texts', { ...membership, tls: { caFile: 1 } }],
])('%s is no membership', (_what, value) => {
  expect(readMembership(value)).toBeUndefined();
});

test('equal memberships are equal in any order of their fields', () => {
  const { login, ...rest } = membership;
  expect(isSameMembership(membership, { login, ...rest })).toBe(true);
  expect(isSameMembership(membership, { ...membership, node: 'build-2' })).toBe(false);
  expect(isSameMembership(membership, { ...membership, domain: 'site' })).toBe(false);
});

describe('the name of a machine becomes a valid node name', () => {
  test.each([
    ['build-1.example.com', 'build-1'],
    ["Ann's laptop", 'Ann-s-laptop'],
    ['x'.repeat(80), 'x'.repeat(64)],
    ['…', undefined],
    ['', undefined],
  ])('%j becomes %j', (machine, name) => {
    expect(nodeNameFrom(machine)).toBe(name);
  });
});
