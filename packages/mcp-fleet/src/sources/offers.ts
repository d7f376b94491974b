import { FLEET_WIDE, fleetName } from '@x/internal/names';
import type { Placement } from '../catalogue/records.js';
import type { Replica } from '../catalogue/replica.js';
import { offerKey, planOffer, type ToldServer } from '../placement/plan-offers.js';
import { type OfferContext, OfferedSource } from './offered-source.js';
import type { OwnServer } from './own-server.js';

export interface OffersOptions {
  readonly host: string;
  readonly own: ReadonlyMap<string, Pick<OwnServer, 'placement'>>;
  readonly replica: Pick<Replica, 'server' | 'servers'>;
  readonly context: OfferContext;
  /** Names of sources that came and went; of one that was replaced, both. */
  onChange(change: { readonly added: readonly string[]; readonly removed: readonly string[] }): void;
  onConflict(message: string): void;
}

/**
 * The servers of other hosts, and of several hosts, as sources. Follows what the hosts tell; who has a server is planned
 * anew only when that is another than before, for that name alone, and once for all that changes at the same time.
 */
export class Offers {
  readonly #options: OffersOptions;
  /** By the key of the offer. */
  readonly #sources = new Map<string, OfferedSource>();
  /** What hosts have told at the last look, by the host and the server. */
  readonly #told = new Map<string, Map<string, ToldServer>>();
  /** The same, by the key of the offer. */
  readonly #claims = new Map<string, Set<ToldServer>>();
  readonly #conflicts = new Map<string, readonly string[]>();
  readonly #unplanned = new Set<string>();

  constructor(options: OffersOptions) {
    this.#options = options;
  }

  list(): readonly OfferedSource[] {
    return Array.from(this.#sources.values());
  }

  get(name: string): OfferedSource | undefined {
    const source = this.#sources.get(name) ?? this.#shared(name);
    return source?.name === name ? source : undefined;
  }

  /** The source that stands for a server of a host. */
  of(host: string, server: string): OfferedSource | undefined {
    const told = this.#told.get(host)?.get(server);
    const source = told && this.#sources.get(offerKey(told));
    return source?.owners.includes(host) && source.server === server ? source : undefined;
  }

  /** To be called when a host tells something else of this server; for this host's own, when it comes or goes. */
  serverChanged(host: string, server: string): void {
    const placement = this.#placementOf(host, server);
    const before = this.#told.get(host)?.get(server);
    if (before?.placement === placement) {
      this.of(host, server)?.refresh();
      return;
    }
    if (before !== undefined) this.#forget(before);
    if (placement !== undefined) this.#remember({ host, server, placement });
  }

  /** To be called when a host's lease has changed: it came, went silent, left or is in another life. */
  hostChanged(host: string): void {
    const before = Array.from(this.#told.get(host)?.keys() ?? []);
    for (const server of new Set([...before, ...this.#options.replica.servers(host)])) this.serverChanged(host, server);
  }

  /** To be called when another host runs a server that runs once. */
  holderChanged(server: string): void {
    this.#shared(server)?.refresh();
  }

  /** To be called when this host's own server offers something else. */
  ownChanged(server: string): void {
    this.#shared(server)?.ownChanged();
  }

  /** To be called when this host has, or has no more, a server of that name. */
  ownPlaced(server: string): void {
    this.serverChanged(this.#options.host, server);
    this.#planSoon(server); // if that is the name of an offer
  }

  /** To be called when this host is back on the bus. */
  retryListings(): void {
    for (const source of this.#sources.values()) source.retryListing();
  }

  /** To be called when this host has left: what it has itself stays. */
  forgetOthers(): void {
    for (const [host, servers] of Array.from(this.#told)) {
      if (host === this.#options.host) continue;
      for (const told of Array.from(servers.values())) this.#forget(told);
    }
    this.#plan();
  }

  #placementOf(host: string, server: string): ToldServer['placement'] | undefined {
    const { host: ownHost, own, replica } = this.#options;
    if (host !== ownHost) return replica.server(host, server)?.placement;
    const placement: Placement | undefined = own.get(server)?.placement;
    return placement === 'local' ? undefined : placement;
  }

  #remember(told: ToldServer): void {
    const { host, server } = told;
    const key = offerKey(told);
    this.#told.set(host, (this.#told.get(host) ?? new Map<string, ToldServer>()).set(server, told));
    this.#claims.set(key, (this.#claims.get(key) ?? new Set<ToldServer>()).add(told));
    this.#planSoon(key);
  }

  #forget(told: ToldServer): void {
    const key = offerKey(told);
    const [servers, claims] = [this.#told.get(told.host), this.#claims.get(key)];
    servers?.delete(told.server);
    if (servers?.size === 0) this.#told.delete(told.host);
    claims?.delete(told);
    if (claims?.size === 0) this.#claims.delete(key);
    this.#planSoon(key);
  }

  /** The offer of a server that several hosts have as one. */
  #shared(server: string): OfferedSource | undefined {
    return this.#sources.get(fleetName(server, FLEET_WIDE));
  }

  #planSoon(key: string): void {
    if (this.#unplanned.size === 0) queueMicrotask(() => this.#plan());
    this.#unplanned.add(key);
  }

  #plan(): void {
    const keys = Array.from(this.#unplanned);
    this.#unplanned.clear();
    const added: string[] = [];
    const removed: string[] = [];
    const changed = keys.filter((key) => this.#planKey(key, added, removed));
    if (added.length > 0 || removed.length > 0) this.#options.onChange({ added, removed });
    for (const key of changed) this.#sources.get(key)?.refresh();
  }

  /** @returns Whether a source of that key is still there, and may have other owners. */
  #planKey(key: string, added: string[], removed: string[]): boolean {
    const { host, own, context } = this.#options;
    const told = Array.from(this.#claims.get(key) ?? []);
    const known = this.#sources.get(key);
    const isOwnName = (name: string) => own.has(name);
    const { offer, conflicts } = planOffer({ host, told, current: known?.placement, isOwnName });
    this.#tellConflicts(key, conflicts);
    if (offer !== undefined && known?.placement === offer.placement && known.name === offer.name) {
      known.setOwners(offer.owners);
      return true;
    }
    if (known !== undefined) removed.push(known.name);
    this.#sources.delete(key);
    if (offer === undefined) return false;
    added.push(offer.name);
    this.#sources.set(key, new OfferedSource(offer, context));
    return false;
  }

  #tellConflicts(key: string, conflicts: readonly string[]): void {
    const before = this.#conflicts.get(key) ?? [];
    if (conflicts.length === 0) this.#conflicts.delete(key);
    else this.#conflicts.set(key, conflicts);
    for (const conflict of conflicts) if (!before.includes(conflict)) this.#options.onConflict(conflict);
  }
}
