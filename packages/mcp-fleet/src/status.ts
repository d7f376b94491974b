import type { Placement, ToolDigests } from './catalogue/records.js';
import type { Replica } from './catalogue/replica.js';
import type { FleetError } from './errors.js';
import type { LeaseTable } from './lease/lease-table.js';
import type { OwnServer } from './sources/own-server.js';

/** The fleet as one host sees it at one moment. */
export interface FleetStatus {
  readonly host: string;
  /**
   * `joining`: not yet a part of the fleet. `joined`. `cut-off`: the bus has not confirmed this host for two heartbeats;
   * it goes on by itself. `failed`: it cannot be a part, see `error`. `left`.
   */
  readonly phase: 'joining' | 'joined' | 'cut-off' | 'failed' | 'left';
  /** Why it has `failed`; before, and while it can go on by itself, why the bus cannot be reached. */
  readonly error?: FleetError;
  /** This host's life, as the others tell it from earlier ones. */
  readonly incarnation?: number;
  readonly isBusConnected: boolean;
  readonly heartbeatMs: number;
  /** This host first, then the others by name. */
  readonly hosts: readonly HostStatus[];
  /** Servers that the fleet runs once. */
  readonly singletons: readonly { readonly server: string; readonly holder: string | undefined }[];
}

/** One host, and what it offers. */
export interface HostStatus {
  readonly host: string;
  readonly isOwn: boolean;
  /** `unreachable`: not heard of for three heartbeats; its tools are hidden from models. */
  readonly state: 'alive' | 'unreachable';
  readonly incarnation?: number;
  readonly servers: readonly HostServerStatus[];
}

/** One server of a host, as that host tells of it. */
export interface HostServerStatus {
  readonly server: string;
  /** The source that stands for it on this host; `undefined` when there is none. */
  readonly source: string | undefined;
  readonly placement: Placement;
  readonly state: string;
  /** How many tools it has; `undefined` for one that is offered to no other host. */
  readonly tools: number | undefined;
}

export interface StatusParts {
  readonly host: string;
  readonly incarnation: number | undefined;
  readonly own: ReadonlyMap<string, OwnServer>;
  readonly replica: Replica;
  readonly leases: LeaseTable;
  sourceOf(host: string, server: string): string | undefined;
}

/** All hosts that are known, this one first. */
export function hostStatuses({
  host,
  incarnation,
  own,
  replica,
  leases,
  sourceOf,
}: StatusParts): readonly HostStatus[] {
  const ownServers = Array.from(own, ([server, { source, placement, publisher }]) => ({
    server,
    source: placement === 'local' || placement === 'pinned' ? server : sourceOf(host, server),
    placement,
    state: source.state ?? 'running',
    tools: publisher?.toolCount,
  }));
  const ownHost: HostStatus = {
    host,
    isOwn: true,
    state: 'alive',
    ...(incarnation !== undefined && { incarnation }),
    servers: byName(ownServers),
  };
  const others = leases.hosts().map((other): HostStatus => {
    const lease = leases.get(other);
    const servers = replica.servers(other).flatMap((server) => {
      const record = replica.server(other, server);
      if (record === undefined) return [];
      const { placement, state, tools } = record;
      return [{ server, source: sourceOf(other, server), placement, state, tools: countOf(tools) }];
    });
    return {
      host: other,
      isOwn: false,
      state: lease?.isAlive ? 'alive' : 'unreachable',
      ...(lease && { incarnation: lease.record.incarnation }),
      servers: byName(servers),
    };
  });
  return [ownHost, ...others.toSorted((a, b) => (a.host < b.host ? -1 : 1))];
}

function countOf(tools: ToolDigests): number {
  return 'count' in tools ? tools.count : tools.length;
}

function byName(servers: readonly HostServerStatus[]): readonly HostServerStatus[] {
  return servers.toSorted((a, b) => (a.server < b.server ? -1 : 1));
}
