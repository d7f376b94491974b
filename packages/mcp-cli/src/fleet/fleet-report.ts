import type { ServerPlacement } from '@x/mcp-config-schema';
import type { FleetStatus, NodeStatus } from '@x/mcp-fleet';

/** A fleet as one of its nodes sees it, as plain data. Contains untrusted text of other nodes. */
export interface FleetReport {
  readonly fleet: string;
  readonly node: string;
  /** Addresses of the NATS servers. */
  readonly servers: readonly string[];
  /**
   * `joining`, and `cut-off` after a join: keeps trying. `failed`: `error` has the reason, and only another `mcpx fleet
   * join` or a restart of the daemon helps.
   */
  readonly phase: 'joining' | 'joined' | 'cut-off' | 'failed' | 'left';
  readonly isBusConnected: boolean;
  /** Reason why this node is not in the fleet, or cannot reach it. */
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  /** This node first, then the others by name. Empty until the first attempt to reach the bus has ended. */
  readonly nodes: readonly FleetNode[];
  /** Servers that the fleet runs once. `holder`: the owner, if there is one. */
  readonly singletons: readonly { readonly server: string; readonly holder?: string | undefined }[];
  /** Recent refusals of the bus, newest last: this node has the wrong permissions or identity. */
  readonly alarms: readonly FleetAlarm[];
}

export interface FleetNode {
  readonly node: string;
  readonly isOwn: boolean;
  /** `unreachable`: no heartbeat for three intervals; its tools are hidden from models. */
  readonly state: 'alive' | 'unreachable';
  readonly servers: readonly FleetServer[];
}

export interface FleetServer {
  readonly server: string;
  /** Name in tools, roles and searches here: `server@node`, `server@fleet`, or its own. Absent if not offered here. */
  readonly source?: string | undefined;
  readonly placement: ServerPlacement;
  /** `unreachable` for all servers of an unreachable node. */
  readonly state: string;
  /** Absent for a server that no other node sees. */
  readonly tools?: number | undefined;
}

export interface FleetAlarm {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly operation: 'publish' | 'subscribe' | 'write';
  /** A key, or a subject without the fleet's part; the whole subject for requests to NATS itself. */
  readonly subject: string;
}

/** Names here of what other nodes offer, each once. */
export function offeredByOthers({ nodes }: Pick<FleetReport, 'nodes'>): readonly string[] {
  const sources = nodes.flatMap(({ isOwn, servers }) => (isOwn ? [] : servers.map(({ source }) => source)));
  return [...new Set(sources.filter((source) => source !== undefined))];
}

/** The published fields of a status. */
export function nodesOf({ nodes, phase }: FleetStatus): readonly FleetNode[] {
  const isTold = phase === 'joined' || phase === 'cut-off'; // before that, no tool of this node was offered to other nodes
  return nodes.map(({ node, isOwn, state, servers }) => ({
    node,
    isOwn,
    state,
    servers: servers.map((server) => serverOf(isTold || !isOwn ? server : { ...server, tools: undefined }, state)),
  }));
}

function serverOf(
  { server, source, placement, state, tools }: NodeStatus['servers'][number],
  nodeState: NodeStatus['state'],
): FleetServer {
  return {
    server,
    ...(source !== undefined && { source }),
    placement,
    state: nodeState === 'unreachable' ? nodeState : state,
    ...(tools !== undefined && { tools }),
  };
}
