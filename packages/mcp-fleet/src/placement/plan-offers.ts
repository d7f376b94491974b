import { FLEET_WIDE, fleetName } from '@x/internal/names';
import type { Placement } from '../catalogue/records.js';

/** A server that a host tells of. */
export interface ToldServer {
  readonly host: string;
  readonly server: string;
  readonly placement: Exclude<Placement, 'local'>;
}

/** A source that this host's models may see beside its own servers. */
export interface Offer {
  /**
   * `server@host` for a server of one host, `server@fleet` for one that several hosts have as one. A host that has such a
   * server itself sees it under the server's own name.
   */
  readonly name: string;
  readonly server: string;
  readonly placement: Exclude<Placement, 'local'>;
  /** Hosts that have it, in order of their names; this host, too, if it does. */
  readonly owners: readonly string[];
}

export interface OfferPlan {
  readonly offer: Offer | undefined;
  /** Servers of which hosts say what cannot be true together, as sentences. They are not offered. */
  readonly conflicts: readonly string[];
}

/** What tells one offer from all others. No two servers share it, whatever hosts call them. */
export function offerKey({ host, server, placement }: ToldServer): string {
  return fleetName(server, placement === 'pinned' ? host : FLEET_WIDE);
}

export interface OfferFacts {
  /** This host. */
  readonly host: string;
  /** All that hosts tell of the server, this host included: one key for all of them. */
  readonly told: readonly ToldServer[];
  /** The placement that the server is offered with so far. */
  readonly current?: Offer['placement'] | undefined;
  /** Whether this host has a server of its own under that name. */
  isOwnName(name: string): boolean;
}

/** What this host offers to its models of one server. */
export function planOffer({ host, told, current, isOwnName }: OfferFacts): OfferPlan {
  const [first] = told;
  if (first === undefined) return { offer: undefined, conflicts: [] };
  if (first.placement === 'pinned' && first.host === host) return { offer: undefined, conflicts: [] };
  const { offer, conflicts } =
    first.placement === 'pinned' ? offerPinned(first) : offerShared(first, { host, told, current });
  if (offer.owners.includes(host) || !isOwnName(offer.name)) return { offer, conflicts };
  const taken = `${JSON.stringify(offer.name)} of ${offer.owners.join(', ')} is not offered here: this host has its own server of that name`;
  return { offer: undefined, conflicts: [...conflicts, taken] };
}

interface MadeOffer extends OfferPlan {
  readonly offer: Offer;
}

function offerPinned(told: ToldServer): MadeOffer {
  const { host, server } = told;
  return { offer: { name: offerKey(told), server, placement: 'pinned', owners: [host] }, conflicts: [] };
}

/** A server that several hosts have as one. Hosts that mean another kind of one by the same name are left out. */
function offerShared(any: ToldServer, { host, told, current }: Omit<OfferFacts, 'isOwnName'>): MadeOffer {
  const rank = (entry: ToldServer) => (entry.host === host ? 0 : entry.placement === current ? 1 : 2);
  const ordered = told.toSorted((a, b) => rank(a) - rank(b) || (a.host < b.host ? -1 : a.host > b.host ? 1 : 0));
  const [first = any] = ordered;
  const { server, placement } = first;
  const owners = told.filter((entry) => entry.placement === placement).map((entry) => entry.host);
  const others = ordered.filter((entry) => entry.placement !== placement);
  const left = others.map((entry) => entry.host).join(', ');
  const conflict = `${JSON.stringify(server)} is ${placement}, but ${others[0]?.placement} on ${left}: these are left out`;
  const name = owners.includes(host) ? server : offerKey(first);
  return {
    offer: { name, server, placement, owners: owners.toSorted() },
    conflicts: others.length > 0 ? [conflict] : [],
  };
}
