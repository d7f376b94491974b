import type { Replica } from '../catalogue/replica.js';
import type { LeaseTable } from '../lease/lease-table.js';
import type { Owner } from './offered-source.js';
import type { OwnServer } from './own-server.js';

export interface OwnersOptions {
  /** This host. */
  readonly host: string;
  readonly own: ReadonlyMap<string, OwnServer>;
  readonly replica: Pick<Replica, 'server'>;
  readonly leases: Pick<LeaseTable, 'get'>;
  /** Calls of this host's to the other that are under way. */
  inFlight(host: string): number;
}

/** The host as one that has the server; `undefined` when it has none of that name. */
export function ownerOf(
  { host: ownHost, own: ownServers, replica, leases, inFlight }: OwnersOptions,
  host: string,
  server: string,
): Owner | undefined {
  if (host === ownHost) {
    const own = ownServers.get(server);
    return own && { host, own, isAlive: true, incarnation: 0, inFlight: own.inFlight };
  }
  const lease = leases.get(host);
  const record = replica.server(host, server);
  if (lease === undefined || record === undefined) return undefined;
  const { incarnation, load } = lease.record;
  // A server may be named like what every object has.
  const told = Object.hasOwn(load, server) ? (load[server] ?? 0) : 0;
  return { host, isAlive: lease.isAlive, incarnation, record, inFlight: Math.max(told, inFlight(host)) };
}
