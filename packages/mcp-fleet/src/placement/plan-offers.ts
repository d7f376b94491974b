import type { Placement } from '../catalogue/records.js';

/** A server that a host tells of. */
export interface ToldServer {
  readonly host: string;
  readonly server: string;
  readonly placement: Exclude<Placement, 'local'>;
}

/** A source that this host's models may see beside its own servers. */
export interface Offer {
  /** `server@host` for a server of one host; the server's own name for one that several hosts have as one. */
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

/** The name under which others see the server. */
export function offerName({ host, server, placement }: ToldServer): string {
  return placement === 'pinned' ? `${server}@${host}` : server;
}

/**
 * What this host offers to its models under one name.
 *
 * @param own - How this host has a server of that very name.
 * @param told - All that hosts tell of what would have that name, this host included.
 */
export function planOffer(
  name: string,
  {
    host,
    own,
    told,
  }: { readonly host: string; readonly own: Placement | undefined; readonly told: readonly ToldServer[] },
): OfferPlan {
  const conflicts: string[] = [];
  const shared = offerShared(
    host,
    told.filter(({ placement }) => placement !== 'pinned'),
    conflicts,
  );
  const pinned = told.filter((entry) => entry.placement === 'pinned' && entry.host !== host).map(offerPinned);
  const [offer, ...others] = [...shared, ...pinned];
  const isTaken = own === 'local' || own === 'pinned';
  if (offer !== undefined && isTaken) {
    conflicts.push(`${asText(offer)} is not offered here: this host has its own server of that name`);
  }
  for (const other of others)
    conflicts.push(`${asText(other)} is not offered: another server has the name ${JSON.stringify(name)}`);
  return { offer: isTaken ? undefined : offer, conflicts };
}

function asText({ name, owners }: Offer): string {
  return `${JSON.stringify(name)} of ${owners.join(', ')}`;
}

function offerPinned(entry: ToldServer): Offer {
  const { host, server } = entry;
  return { name: offerName(entry), server, placement: 'pinned', owners: [host] };
}

/** A server that several hosts have as one. Hosts that mean another kind of one by the same name are left out. */
function offerShared(host: string, entries: readonly ToldServer[], conflicts: string[]): readonly Offer[] {
  const [first] = entries.toSorted((a, b) => compareTellers(host, a.host, b.host));
  if (first === undefined) return [];
  const { server, placement } = first;
  const owners = entries.filter((entry) => entry.placement === placement).map((entry) => entry.host);
  const others = entries.filter((entry) => entry.placement !== placement);
  if (others.length > 0) {
    const left = others.map((entry) => entry.host).join(', ');
    conflicts.push(
      `${JSON.stringify(server)} is ${placement}, but ${others[0]?.placement} on ${left}: these are left out`,
    );
  }
  return [{ name: server, server, placement, owners: owners.toSorted() }];
}

/** What this host itself says counts, then what the host that is first by its name says. */
function compareTellers(host: string, a: string, b: string): number {
  return Number(b === host) - Number(a === host) || (a < b ? -1 : a > b ? 1 : 0);
}
