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
  'bus-down': 'Check that the NATS server runs and can be reached from here. "mcpx fleet status" shows the connection.',
  forbidden: '"mcpx fleet permissions" prints what a NATS server has to allow to each node.',
  'unsuitable-bus': 'Start it with "nats-server --jetstream", or enable JetStream for the account.',
  'unsuitable-runtime': 'Run the daemon with a Node.js that supports Ed25519. In FIPS mode it may not.',
  'node-taken': 'Give this node a name of its own with --node, or stop the other one.',
  'node-alive': 'Run "mcpx fleet leave" on that node instead.',
  refused: 'The node has no such tool, or does not allow it to this caller. The call may need --role.',
  'node-unreachable': '"mcpx fleet status" shows which nodes are there.',
  'outcome-unknown': 'Check if the call had its effect before you repeat it.',
};
