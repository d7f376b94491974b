import { expect, test } from 'vitest';
import { whyNotHere, whyOutOfReach } from '../../src/fleet/elsewhere.js';
import type { FleetReport } from '../../src/fleet/fleet-report.js';

const report = (changes: Partial<FleetReport> = {}): FleetReport => ({
  fleet: 'team',
  node: 'here',
  servers: ['nats://127.0.0.1:4222'],
  phase: 'joined',
  isBusConnected: true,
  nodes: [
    { node: 'here', isOwn: true, state: 'alive', servers: [] },
    {
      node: 'there',
      isOwn: false,
      state: 'alive',
      servers: [
        { server: 'files', source: 'files@there', placement: 'pinned', state: 'running', tools: 3 },
        { server: 'clock', source: 'clock@fleet', placement: 'singleton', state: 'running', tools: 1 },
      ],
    },
    {
      node: 'gone',
      isOwn: false,
      state: 'unreachable',
      servers: [{ server: 'files', placement: 'pinned', state: 'unreachable', tools: 3 }],
    },
  ],
  singletons: [],
  alarms: [],
  ...changes,
});

test.each([
  ['files@gone.read', 'node-unreachable', true, 'its node is unreachable'],
  ['files@gone', 'node-unreachable', true, 'its node is unreachable'],
  ['books@there/read', 'unknown-server', false, 'offers no server named "books"'],
  ['files@nobody.read', 'unknown-server', false, 'no node named "nobody"'],
  [
    'books@fleet.read',
    'unknown-server',
    false,
    'No node of the fleet "team" offers a replicated server or a singleton named "books"',
  ],
])('%s is out of reach: %s', (name, code, retryable, message) => {
  expect(whyOutOfReach(report(), name)).toMatchObject({
    code,
    retryable,
    message: expect.stringContaining(message),
  });
});

test.each(['files@there.read', 'files.read', 'files@here.read', 'mcp__files_gone__read', 'a@b c', '@gone', ''])(
  'of %j nothing is known here',
  (name) => {
    expect(whyOutOfReach(report(), name)).toBeUndefined();
    expect(whyOutOfReach(undefined, name)).toBeUndefined();
  },
);

test.each([
  ['joining', 'still joining', true],
  ['cut-off', 'cut off from', true],
  ['failed', 'not in', false],
] as const)('while this node is %s, what is of others says so', (phase, words, retryable) => {
  const error = { code: 'bus-down', message: 'it does not answer' };
  expect(whyOutOfReach(report({ phase, error }), 'files@there.read')).toMatchObject({
    code: 'bus-down',
    message: `"files@there" is a server of another node, and this node is ${words} the fleet "team".`,
    details: ['it does not answer'],
    retryable,
  });
});

test.each(['files@there', 'clock@fleet'])('a command that shows or changes %s refers to its node', (server) => {
  expect(whyNotHere(report(), server)).toMatchObject({
    code: 'runs-elsewhere',
    message: `"${server}" is a server of the node "there", not of this one.`,
  });
});
