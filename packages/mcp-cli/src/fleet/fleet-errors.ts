import { isBranded } from '@x/internal/errors';
import type { FleetError, FleetErrorCode } from '@x/mcp-fleet';

/** The brand of the fleet's errors, so that they are recognized without loading it. */
const brand = Symbol.for('@x/mcp-fleet.error');

export function isFleetFailure(
  value: unknown,
): value is Error & Pick<FleetError, 'code' | 'retryable' | 'node' | 'rpc'> {
  return isBranded(value, brand);
}

/** Remedy for a failure of the fleet whose message has none. */
export function fleetHint(code: string | undefined): string | undefined {
  const known: Readonly<Record<string, string | undefined>> = hints;
  return code === undefined ? undefined : known[code];
}

const hints: Partial<Record<FleetErrorCode, string>> = {
  'bus-down':
    'Look whether the NATS server runs and can be reached from here; "mcpx fleet status" shows what is joined.',
  forbidden: '"mcpx fleet permissions" prints what a NATS server has to allow to each node.',
  'unsuitable-bus': 'Start it with "nats-server --jetstream", or enable JetStream for the account.',
  'unsuitable-runtime': 'Run the daemon with a Node.js that has Ed25519; one that is held to FIPS may lack it.',
  'node-taken': 'Give this node a name of its own with --node, or stop the other one.',
  'node-alive': '"mcpx fleet leave" there has it leave.',
  refused: 'There is no such tool there, or its node does not allow it to this caller: a call may need --role.',
  'node-unreachable': '"mcpx fleet status" shows which nodes are there.',
  'outcome-unknown': 'Look whether it had its effect before you call it again.',
};
