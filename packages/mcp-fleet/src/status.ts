import type { Placement, ToolDigests } from './catalog/records.js';
import type { Replica } from './catalog/replica.js';
import type { FleetError } from './errors.js';
import type { LeaseTable } from './lease/lease-table.js';
import type { OwnServer } from './sources/own-server.js';

/** Snapshot of the fleet as one node sees it. */
export interface FleetStatus {
  readonly node: string;
  /**
   * `joining`, `joined`, `cut-off` (the bus has confirmed no heartbeat for two intervals; the node works on its own),
   * `failed` (the node cannot be a member, see `error`) or `left`.
   */
  readonly phase: 'joining' | 'joined' | 'cut-off' | 'failed' | 'left';
  /** Reason of `failed`; in other phases, why the bus is down. */
  readonly error?: FleetError;
  /** Number of this node's life. Distinguishes records of earlier lives. */
  readonly incarnation?: number;
  readonly isBusConnected: boolean;
  readonly heartbeatMs: number;
  readonly nodes: readonly NodeStatus[];
  /** Servers that run on one node of the fleet at a time. */
  readonly singletons: readonly { readonly server: string; readonly holder: string | undefined }[];
}

/** Status of one node. */
export interface NodeStatus {
  readonly node: string;
  readonly isOwn: boolean;
  /** `unreachable`: three heartbeats missed. Models do not see its tools. */
  readonly state: 'alive' | 'unreachable';
  readonly incarnation?: number;
  readonly servers: readonly NodeServerStatus[];
}

/** One server of a node, as that node reports it. */
export interface NodeServerStatus {
  readonly server: string;
  /** Name of its source on this node; `undefined` without one. */
  readonly source: string | undefined;
  readonly placement: Placement;
  readonly state: string;
  /** Number of tools; `undefined` for a server with placement `local`. */
  readonly tools: number | undefined;
}

interface StatusParts {
  readonly node: string;
  readonly incarnation: number | undefined;
  readonly own: ReadonlyMap<string, OwnServer>;
  readonly replica: Replica;
  readonly leases: LeaseTable;
  sourceOf(node: string, server: string): string | undefined;
}

export function nodeStatuses({
  node,
  incarnation,
  own,
  replica,
  leases,
  sourceOf,
}: StatusParts): readonly NodeStatus[] {
  const ownServers = Array.from(own, ([server, { source, placement, publisher }]) => ({
    server,
    source: placement === 'local' || placement === 'pinned' ? server : sourceOf(node, server),
    placement,
    state: source.state ?? 'running',
    tools: publisher?.toolCount,
  }));
  const ownNode: NodeStatus = {
    node,
    isOwn: true,
    state: 'alive',
    ...(incarnation !== undefined && { incarnation }),
    servers: byName(ownServers),
  };
  const others = leases.nodes().map((other): NodeStatus => {
    const lease = leases.get(other);
    const servers = replica.servers(other).flatMap((server) => {
      const record = replica.server(other, server);
      if (record === undefined) return [];
      const { placement, state, tools } = record;
      return [{ server, source: sourceOf(other, server), placement, state, tools: countOf(tools) }];
    });
    return {
      node: other,
      isOwn: false,
      state: lease?.isAlive ? 'alive' : 'unreachable',
      ...(lease && { incarnation: lease.record.incarnation }),
      servers: byName(servers),
    };
  });
  return [ownNode, ...others.toSorted((a, b) => (a.node < b.node ? -1 : 1))];
}

function countOf(tools: ToolDigests): number {
  return 'count' in tools ? tools.count : tools.length;
}

function byName(servers: readonly NodeServerStatus[]): readonly NodeServerStatus[] {
  return servers.toSorted((a, b) => (a.server < b.server ? -1 : 1));
}
