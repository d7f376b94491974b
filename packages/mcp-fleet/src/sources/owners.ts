import type { ServerRecord } from '../catalog/records.js';
import type { Replica } from '../catalog/replica.js';
import type { LeaseTable } from '../lease/lease-table.js';
import type { OwnServer } from './own-server.js';

export interface Owner {
  readonly node: string;
  readonly own?: OwnServer | undefined;
  readonly isAlive: boolean;
  readonly incarnation: number;
  readonly record?: ServerRecord | undefined;
  readonly inFlight: number;
}

interface OwnersOptions {
  readonly node: string;
  readonly own: ReadonlyMap<string, OwnServer>;
  readonly replica: Pick<Replica, 'server'>;
  readonly leases: Pick<LeaseTable, 'get'>;
  inFlight(node: string): number;
}

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
  // A server name may equal a property of `Object.prototype`.
  const told = Object.hasOwn(load, server) ? (load[server] ?? 0) : 0;
  return { node, isAlive: lease.isAlive, incarnation, record, inFlight: Math.max(told, inFlight(node)) };
}

/** This node first, then the node with the fewest calls in progress. */
export function orderOwners<Candidate extends Pick<Owner, 'node' | 'inFlight'> & { readonly isOwn: boolean }>(
  owners: readonly Candidate[],
): readonly Candidate[] {
  return owners.toSorted(
    (a, b) =>
      Number(b.isOwn) - Number(a.isOwn) || a.inFlight - b.inFlight || (a.node < b.node ? -1 : a.node > b.node ? 1 : 0),
  );
}
