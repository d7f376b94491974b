import type { FleetErrorCode } from '@x/mcp-fleet';

/** What would have worked, where a failure of the fleet does not say it itself. */
export function fleetHint(code: FleetErrorCode): string | undefined {
  return hints[code];
}

const hints: Partial<Record<FleetErrorCode, string>> = {
  'bus-down':
    'Look whether the NATS server runs and can be reached from here; "mcpx fleet status" shows what is joined.',
  forbidden: '"mcpx fleet permissions" prints what a NATS server has to allow to each host.',
  'unsuitable-bus': 'Start it with "nats-server --jetstream", or enable JetStream for the account.',
  'host-taken': 'Give this host a name of its own with --host, or stop the other one.',
  'host-unreachable': '"mcpx fleet status" shows which hosts are there.',
  'outcome-unknown': 'Look whether it had its effect before you call it again.',
};
