import type { Placement, ToolDigests } from './catalog/records.js';
import type { Replica } from './catalog/replica.js';
import type { FleetError } from './errors.js';
import type { LeaseTable } from './lease/lease-table.js';
import type { OwnServer } from './sources/own-server.js';

/** The fleet as one node sees it at one moment. */
export interface FleetStatus {
  readonly node: string;
  /**
   * `joining`: not yet a part of the fleet. `joined`. `cut-off`: the bus has not confirmed this node for two heartbeats;
   * it goes on by itself. `failed`: it cannot be a part, see `error`. `left`.
   */
  readonly phase: 'joining' | 'joined' | 'cut-off' | 'failed' | 'left';
  /** Why it has `failed`; before, and while it can go on by itself, why the bus cannot be reached. */
  readonly error?: FleetError;
  /** This node's life, as the others tell it from earlier ones. */
  readonly incarnation?: number;
  readonly isBusConnected: boolean;
  readonly heartbeatMs: number;
  /** This node first, then the others by name. */
  readonly nodes: readonly NodeStatus[];
  /** Servers that the fleet runs once. */
  readonly singletons: readonly { readonly server: string; readonly holder: string | undefined }[];
}

/** One node, and what it offers. */
export interface NodeStatus {
  readonly node: string;
  readonly isOwn: boolean;
  /** `unreachable`: not heard of for three heartbeats; its tools are hidden from models. */
  readonly state: 'alive' | 'unreachable';
  readonly incarnation?: number;
  readonly servers: readonly NodeServerStatus[];
}

/** One server of a node, as that node tells of it. */
export interface NodeServerStatus {
  readonly server: string;
  /** The source that stands for it on this node; `undefined` when there is none. */
  readonly source: string | undefined;
  readonly placement: Placement;
  readonly state: string;
  /** How many tools it has; `undefined` for one that is offered to no other node. */
  readonly tools: number | undefined;
}

export interface StatusParts {
  readonly node: string;
  readonly incarnation: number | undefined;
  readonly own: ReadonlyMap<string, OwnServer>;
  readonly replica: Replica;
  readonly leases: LeaseTable;
  sourceOf(node: string, server: string): string | undefined;
}

/** All nodes that are known, this one first. */
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
