import type { ServerPlacement } from '@x/mcp-config-schema';
import type { FleetStatus, NodeStatus } from '@x/mcp-fleet';

/** A fleet as one of its nodes sees it, as plain data. What other nodes tell in it is untrusted text. */
export interface FleetReport {
  readonly fleet: string;
  /** This node's own name. */
  readonly node: string;
  /** Addresses of the NATS servers. */
  readonly servers: readonly string[];
  /**
   * `joining`: goes on by itself. `cut-off`: was joined and cannot be heard now; goes on by itself. `failed`: `error` says
   * why, and only another `mcpx fleet join` or a restart of the daemon changes it.
   */
  readonly phase: 'joining' | 'joined' | 'cut-off' | 'failed' | 'left';
  readonly isBusConnected: boolean;
  /** Why it is no part of the fleet, or cannot be heard by it. */
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  /** This node first, then the others by name. Empty before the first attempt to reach the bus is over. */
  readonly nodes: readonly FleetNode[];
  /** Servers that the fleet runs once, and who has each; without a `holder` nobody. */
  readonly singletons: readonly { readonly server: string; readonly holder?: string | undefined }[];
  /** What the bus has forbidden to this node lately, the newest last: its permissions are wrong, or it is not what it says. */
  readonly alarms: readonly FleetAlarm[];
}

export interface FleetNode {
  readonly node: string;
  readonly isOwn: boolean;
  /** `unreachable`: not heard of for three heartbeats; its tools are hidden from models. */
  readonly state: 'alive' | 'unreachable';
  readonly servers: readonly FleetServer[];
}

export interface FleetServer {
  readonly server: string;
  /** What tools, roles and `mcpx search` here call it: `server@node`, `server@fleet`, or its own name. Left out when it is not offered here. */
  readonly source?: string | undefined;
  readonly placement: ServerPlacement;
  /** `unreachable` for all of a node that is. */
  readonly state: string;
  /** Left out for one that no other node sees. */
  readonly tools?: number | undefined;
}

export interface FleetAlarm {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly operation: 'publish' | 'subscribe' | 'write';
  /** A key, or a subject without the fleet's part; of what NATS itself is asked for, the whole of it. */
  readonly subject: string;
}

/** What other nodes offer, by the names that it has here; each once, though several nodes may have it. */
export function offeredByOthers({ nodes }: Pick<FleetReport, 'nodes'>): readonly string[] {
  const sources = nodes.flatMap(({ isOwn, servers }) => (isOwn ? [] : servers.map(({ source }) => source)));
  return [...new Set(sources.filter((source) => source !== undefined))];
}

/** What of a status is told, field by field. */
export function nodesOf({ nodes, phase }: FleetStatus): readonly FleetNode[] {
  const isTold = phase === 'joined' || phase === 'cut-off'; // before, no tool of this node's own was offered to anybody
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
