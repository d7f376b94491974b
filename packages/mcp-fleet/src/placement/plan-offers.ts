import { FLEET_WIDE, fleetName } from '@x/internal/names';
import type { Placement } from '../catalog/records.js';

export interface ReportedServer {
  readonly node: string;
  readonly server: string;
  readonly placement: Exclude<Placement, 'local'>;
}

/** Source for the models of this node, besides its own plain servers. */
export interface Offer {
  /**
   * `server@node` for a server of one node, `server@fleet` for a shared one. A node that runs a shared server itself
   * sees the plain server name.
   */
  readonly name: string;
  readonly server: string;
  readonly placement: Exclude<Placement, 'local'>;
  /** Nodes that own it, sorted by name; includes this node if it does. */
  readonly owners: readonly string[];
}

interface OfferPlan {
  readonly offer: Offer | undefined;
  /** Contradictory reports of nodes, as sentences. Those servers are not offered. */
  readonly conflicts: readonly string[];
}

export function offerKey({ node, server, placement }: ReportedServer): string {
  return fleetName(server, placement === 'pinned' ? node : FLEET_WIDE);
}

interface OfferFacts {
  readonly node: string;
  /** Reports of all nodes, including this one, with the same offer key. */
  readonly reports: readonly ReportedServer[];
  readonly current?: Offer['placement'] | undefined;
  isOwnName(name: string): boolean;
}

export function planOffer({ node, reports, current, isOwnName }: OfferFacts): OfferPlan {
  const [first] = reports;
  if (first === undefined) return { offer: undefined, conflicts: [] };
  if (first.placement === 'pinned' && first.node === node) return { offer: undefined, conflicts: [] };
  const { offer, conflicts } =
    first.placement === 'pinned' ? offerPinned(first) : offerShared(first, { node, reports, current });
  if (offer.owners.includes(node) || !isOwnName(offer.name)) return { offer, conflicts };
  const taken = `${JSON.stringify(offer.name)} of ${offer.owners.join(', ')} is not offered here: this node has its own server of that name`;
  return { offer: undefined, conflicts: [...conflicts, taken] };
}

interface MadeOffer extends OfferPlan {
  readonly offer: Offer;
}

function offerPinned(report: ReportedServer): MadeOffer {
  const { node, server } = report;
  return { offer: { name: offerKey(report), server, placement: 'pinned', owners: [node] }, conflicts: [] };
}

/** Offer of a shared server. Nodes that report another placement for the name are left out. */
function offerShared(any: ReportedServer, { node, reports, current }: Omit<OfferFacts, 'isOwnName'>): MadeOffer {
  const rank = (entry: ReportedServer) => (entry.node === node ? 0 : entry.placement === current ? 1 : 2);
  const ordered = reports.toSorted((a, b) => rank(a) - rank(b) || (a.node < b.node ? -1 : a.node > b.node ? 1 : 0));
  const [first = any] = ordered;
  const { server, placement } = first;
  const owners = reports.filter((entry) => entry.placement === placement).map((entry) => entry.node);
  const others = ordered.filter((entry) => entry.placement !== placement);
  const left = others.map((entry) => entry.node).join(', ');
  const conflict = `${JSON.stringify(server)} is ${placement}, but ${others[0]?.placement} on ${left}: these are left out`;
  const name = owners.includes(node) ? server : offerKey(first);
  return {
    offer: { name, server, placement, owners: owners.toSorted() },
    conflicts: others.length > 0 ? [conflict] : [],
  };
}
