import type { Replica } from '../catalog/replica.js';
import type { LeaseTable } from '../lease/lease-table.js';
import type { Owner } from './offered-source.js';
import type { OwnServer } from './own-server.js';

export interface OwnersOptions {
  /** This node. */
  readonly node: string;
  readonly own: ReadonlyMap<string, OwnServer>;
  readonly replica: Pick<Replica, 'server'>;
  readonly leases: Pick<LeaseTable, 'get'>;
  /** Calls of this node's to the other that are under way. */
  inFlight(node: string): number;
}

/** The node as one that has the server; `undefined` when it has none of that name. */
export function ownerOf(
  { node: ownNode, own: ownServers, replica, leases, inFlight }: OwnersOptions,
  node: string,
  server: string,
): Owner | undefined {
  if (node === ownNode) {
    const own = ownServers.get(server);
    return own && { node, own, isAlive: true, incarnation: 0, inFlight: own.inFlight };
  }
  const lease = leases.get(node);
  const record = replica.server(node, server);
  if (lease === undefined || record === undefined) return undefined;
  const { incarnation, load } = lease.record;
  // A server may be named like what every object has.
  const told = Object.hasOwn(load, server) ? (load[server] ?? 0) : 0;
  return { node, isAlive: lease.isAlive, incarnation, record, inFlight: Math.max(told, inFlight(node)) };
}
