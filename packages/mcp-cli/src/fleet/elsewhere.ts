import { ControlError } from '../control/control-error.js';
import type { FleetNode, FleetReport } from './fleet-report.js';

interface NodeAddress {
  /** `server@node` or `server@fleet`. */
  readonly source: string;
  readonly server: string;
  readonly node: string;
}

/**
 * Reason why a name of another node is unavailable now.
 *
 * @param name - `server@node`, `server@fleet`, or the name of a tool that begins so.
 */
export function whyOutOfReach(fleet: FleetReport | undefined, name: string): ControlError | undefined {
  const address = addressOf(name);
  if (fleet === undefined || address === undefined || address.node === fleet.node) return undefined;
  const { source, server, node } = address;
  if (fleet.phase !== 'joined') {
    const message = `"${source}" is a server of another node, and this node is ${phaseWords[fleet.phase]} the fleet "${fleet.fleet}".`;
    return new ControlError('bus-down', message, {
      hint: 'Run "mcpx fleet status" to see why.',
      details: fleet.error === undefined ? [] : [fleet.error.message],
      retryable: fleet.phase !== 'failed',
    });
  }
  const others = fleet.nodes.filter(({ isOwn }) => !isOwn);
  if (node === 'fleet') {
    if (others.some(({ servers }) => servers.some((each) => each.source === source))) return undefined;
    const message = `No node of the fleet "${fleet.fleet}" offers a replicated server or a singleton named "${server}".`;
    return new ControlError('unknown-server', message, { hint: '"mcpx fleet status" shows what each node offers.' });
  }
  const known = others.find((each) => each.node === node);
  if (known === undefined) {
    return new ControlError('unknown-server', `The fleet "${fleet.fleet}" has no node named "${node}".`, {
      hint:
        others.length === 0 ? 'It has no other node.' : `Other nodes: ${others.map((each) => each.node).join(', ')}.`,
    });
  }
  if (known.state === 'unreachable') {
    const message = `"${source}" cannot be called: its node is unreachable.`;
    return new ControlError('node-unreachable', message, {
      hint: 'Its tools come back with it; "mcpx fleet status" shows which nodes are there.',
      retryable: true,
    });
  }
  if (known.servers.some((each) => each.server === server)) return undefined;
  return new ControlError('unknown-server', `The node "${node}" offers no server named "${server}" to the fleet.`, {
    hint: `It offers: ${offeredBy(known)}.`,
  });
}

/** Refusal of a command about another node's server, which can only be searched and called from here. */
export function whyNotHere(fleet: FleetReport | undefined, server: string): ControlError | undefined {
  const owner = fleet?.nodes.find(({ isOwn, servers }) => !isOwn && servers.some(({ source }) => source === server));
  if (owner === undefined) return whyOutOfReach(fleet, server);
  return new ControlError('runs-elsewhere', `"${server}" is a server of the node "${owner.node}", not of this one.`, {
    hint: 'Its tools can be found and called from here; for the rest, run the command on that node.',
  });
}

const phaseWords: Readonly<Record<FleetReport['phase'], string>> = {
  joining: 'still joining',
  joined: 'in',
  'cut-off': 'cut off from',
  failed: 'not in',
  left: 'leaving',
};

function addressOf(name: string): NodeAddress | undefined {
  const [source, server, node] = /^([^@]+)@([A-Za-z0-9_-]+)(?=[./]|$)/.exec(name) ?? [];
  return source === undefined || server === undefined || node === undefined ? undefined : { source, server, node };
}

function offeredBy({ servers }: FleetNode): string {
  return servers.map(({ server }) => server).join(', ') || 'nothing';
}
