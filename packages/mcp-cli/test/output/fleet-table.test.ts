import { createColors } from 'picocolors';
import { expect, test } from 'vitest';
import type { FleetReport } from '../../src/fleet/fleet-report.js';
import { fleetHead, fleetTable, othersTable } from '../../src/output/fleet-table.js';

const plain = createColors(false);

const report: FleetReport = {
  fleet: 'default',
  host: 'laptop',
  servers: ['nats://127.0.0.1:4222'],
  phase: 'joined',
  isBusConnected: true,
  hosts: [
    {
      host: 'laptop',
      isOwn: true,
      state: 'alive',
      servers: [{ server: 'notes', source: 'notes', placement: 'local', state: 'running' }],
    },
    {
      host: 'build-1',
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

test('hosts and their servers are a row each, and what others have named themselves takes over no terminal', () => {
  expect(fleetTable(report, plain)).toBe(
    [
      'Host                   Server    Placement  State          Tools  Called here',
      'laptop (this host)     notes     local      ● running      -      notes',
      'build-1 (unreachable)  files     pinned     ✗ unreachable  14     files@build-1',
      'build-1 (unreachable)  evil row  singleton  ◐              0      -',
      '',
    ].join('\n'),
  );
  expect(othersTable(report, plain)).not.toContain('\u001b');
});

test('the head says how this host stands, and what was forbidden to it', () => {
  expect(fleetHead(report)).toBe(
    'Fleet "default": this host is "laptop", joined, with 1 other host\n' +
      'ALARM 1970-01-01T00:00:00.000Z: the NATS server forbade this host to write lease.other\n',
  );
  const error = { code: 'bus-down', message: 'Could not connect' };
  expect(fleetHead({ ...report, phase: 'joining', isBusConnected: false, hosts: [], alarms: [], error })).toBe(
    'Fleet "default": this host is "laptop", joining, with 0 other hosts; the NATS server cannot be reached\n' +
      'error: Could not connect\n',
  );
  const refused = { code: 'forbidden', message: 'Authorization Violation' };
  expect(fleetHead({ ...report, phase: 'cut-off', isBusConnected: false, alarms: [], error: refused })).toBe(
    'Fleet "default": this host is "laptop", cut off, with 1 other host; the NATS server does not let it in\n' +
      'error: Authorization Violation\n',
  );
});
