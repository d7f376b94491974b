import { createColors } from 'picocolors';
import { expect, test } from 'vitest';
import type { FleetReport } from '../../src/fleet/fleet-report.js';
import { fleetHead, fleetTable, othersTable } from '../../src/output/fleet-table.js';

const plain = createColors(false);

const report: FleetReport = {
  fleet: 'default',
  node: 'laptop',
  servers: ['nats://127.0.0.1:4222'],
  phase: 'joined',
  isBusConnected: true,
  nodes: [
    {
      node: 'laptop',
      isOwn: true,
      state: 'alive',
      servers: [{ server: 'notes', source: 'notes', placement: 'local', state: 'running' }],
    },
    {
      node: 'build-1',
      isOwn: false,
      state: 'unreachable',
      servers: [
        { server: 'files', source: 'files@build-1', placement: 'pinned', state: 'unreachable', tools: 14 },
        { server: '\u001b[2Jevil\nrow', placement: 'singleton', state: '\u001b]0;x\u0007', tools: 0 },
      ],
    },
  ],
  singletons: [],
  alarms: [{ at: 0, operation: 'write', subject: 'lease.\u001b[31mother' }],
};

test('draws a row per server of each node, without control characters in their names', () => {
  expect(fleetTable(report, plain, {})).toBe(
    [
      'Node                   Server    Placement  State          Tools  Called here',
      'laptop (this node)     notes     local      ● running      -      notes',
      'build-1 (unreachable)  files     pinned     ✗ unreachable  14     files@build-1',
      'build-1 (unreachable)  evil row  singleton  ◐              0      -',
      '',
    ].join('\n'),
  );
  expect(othersTable(report, plain, {})).not.toContain('\u001b');
});

test('the head shows the state of this node and its alarms', () => {
  expect(fleetHead(report)).toBe(
    'Fleet "default": this node is "laptop", joined, with 1 other node\n' +
      'ALARM 1970-01-01T00:00:00.000Z: the NATS server forbade this node to write lease.other\n',
  );
  const error = { code: 'bus-down', message: 'Could not connect' };
  expect(fleetHead({ ...report, phase: 'joining', isBusConnected: false, nodes: [], alarms: [], error })).toBe(
    'Fleet "default": this node is "laptop", joining, with 0 other nodes; the NATS server cannot be reached\n' +
      'error: Could not connect\n',
  );
  const refused = { code: 'forbidden', message: 'Authorization Violation' };
  expect(fleetHead({ ...report, phase: 'cut-off', isBusConnected: false, alarms: [], error: refused })).toBe(
    'Fleet "default": this node is "laptop", cut off, with 1 other node; the NATS server refuses its login\n' +
      'error: Authorization Violation\n',
  );
});
