import { FLEET_WIDE, fleetName } from '@x/internal/names';
import type { Placement } from '../catalog/records.js';

/** A server that a node tells of. */
export interface ToldServer {
  readonly node: string;
  readonly server: string;
  readonly placement: Exclude<Placement, 'local'>;
}

/** A source that this node's models may see beside its own servers. */
export interface Offer {
  /**
   * `server@node` for a server of one node, `server@fleet` for one that several nodes have as one. A node that has such a
   * server itself sees it under the server's own name.
   */
  readonly name: string;
  readonly server: string;
  readonly placement: Exclude<Placement, 'local'>;
  /** Nodes that have it, in order of their names; this node, too, if it does. */
  readonly owners: readonly string[];
}

export interface OfferPlan {
  readonly offer: Offer | undefined;
  /** Servers of which nodes say what cannot be true together, as sentences. They are not offered. */
  readonly conflicts: readonly string[];
}

/** What tells one offer from all others. No two servers share it, whatever nodes call them. */
export function offerKey({ node, server, placement }: ToldServer): string {
  return fleetName(server, placement === 'pinned' ? node : FLEET_WIDE);
}

export interface OfferFacts {
  /** This node. */
  readonly node: string;
  /** All that nodes tell of the server, this node included: one key for all of them. */
  readonly told: readonly ToldServer[];
  /** The placement that the server is offered with so far. */
  readonly current?: Offer['placement'] | undefined;
  /** Whether this node has a server of its own under that name. */
  isOwnName(name: string): boolean;
}

/** What this node offers to its models of one server. */
export function planOffer({ node, told, current, isOwnName }: OfferFacts): OfferPlan {
  const [first] = told;
  if (first === undefined) return { offer: undefined, conflicts: [] };
  if (first.placement === 'pinned' && first.node === node) return { offer: undefined, conflicts: [] };
  const { offer, conflicts } =
    first.placement === 'pinned' ? offerPinned(first) : offerShared(first, { node, told, current });
  if (offer.owners.includes(node) || !isOwnName(offer.name)) return { offer, conflicts };
  const taken = `${JSON.stringify(offer.name)} of ${offer.owners.join(', ')} is not offered here: this node has its own server of that name`;
  return { offer: undefined, conflicts: [...conflicts, taken] };
}

interface MadeOffer extends OfferPlan {
  readonly offer: Offer;
}

function offerPinned(told: ToldServer): MadeOffer {
  const { node, server } = told;
  return { offer: { name: offerKey(told), server, placement: 'pinned', owners: [node] }, conflicts: [] };
}

/** A server that several nodes have as one. Nodes that mean another kind of one by the same name are left out. */
function offerShared(any: ToldServer, { node, told, current }: Omit<OfferFacts, 'isOwnName'>): MadeOffer {
  const rank = (entry: ToldServer) => (entry.node === node ? 0 : entry.placement === current ? 1 : 2);
  const ordered = told.toSorted((a, b) => rank(a) - rank(b) || (a.node < b.node ? -1 : a.node > b.node ? 1 : 0));
  const [first = any] = ordered;
  const { server, placement } = first;
  const owners = told.filter((entry) => entry.placement === placement).map((entry) => entry.node);
  const others = ordered.filter((entry) => entry.placement !== placement);
  const left = others.map((entry) => entry.node).join(', ');
  const conflict = `${JSON.stringify(server)} is ${placement}, but ${others[0]?.placement} on ${left}: these are left out`;
  const name = owners.includes(node) ? server : offerKey(first);
  return {
    offer: { name, server, placement, owners: owners.toSorted() },
    conflicts: others.length > 0 ? [conflict] : [],
  };
}
