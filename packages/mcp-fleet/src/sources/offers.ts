import { FLEET_WIDE, fleetName } from '@x/internal/names';
import type { Placement } from '../catalog/records.js';
import type { Replica } from '../catalog/replica.js';
import { offerKey, planOffer, type ToldServer } from '../placement/plan-offers.js';
import { type OfferContext, OfferedSource } from './offered-source.js';
import type { OwnServer } from './own-server.js';

export interface OffersOptions {
  readonly node: string;
  readonly own: ReadonlyMap<string, Pick<OwnServer, 'placement'>>;
  readonly replica: Pick<Replica, 'server' | 'servers'>;
  readonly context: OfferContext;
  onChange(change: { readonly added: readonly string[]; readonly removed: readonly string[] }): void;
  onConflict(message: string): void;
}

/**
 * Sources for servers of other nodes and for shared servers. Replans an offer when its owners change, once per turn.
 */
export class Offers {
  readonly #options: OffersOptions;
  readonly #sources = new Map<string, OfferedSource>();
  readonly #told = new Map<string, Map<string, ToldServer>>();
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

  of(node: string, server: string): OfferedSource | undefined {
    const told = this.#told.get(node)?.get(server);
    const source = told && this.#sources.get(offerKey(told));
    return source?.owners.includes(node) && source.server === server ? source : undefined;
  }

  /** Call when another node's record of the server changes, or when this node adds or removes it. */
  serverChanged(node: string, server: string): void {
    const placement = this.#placementOf(node, server);
    const before = this.#told.get(node)?.get(server);
    if (before?.placement === placement) {
      this.of(node, server)?.refresh();
      return;
    }
    if (before !== undefined) this.#forget(before);
    if (placement !== undefined) this.#remember({ node, server, placement });
  }

  nodeChanged(node: string): void {
    const before = Array.from(this.#told.get(node)?.keys() ?? []);
    for (const server of new Set([...before, ...this.#options.replica.servers(node)])) this.serverChanged(node, server);
  }

  holderChanged(server: string): void {
    this.#shared(server)?.refresh();
  }

  ownChanged(server: string): void {
    this.#shared(server)?.ownChanged();
  }

  ownPlaced(server: string): void {
    this.serverChanged(this.#options.node, server);
    this.#planSoon(server);
  }

  retryListings(): void {
    for (const source of this.#sources.values()) source.retryListing();
  }

  /** Call after this node has left. Its own servers stay. */
  forgetOthers(): void {
    for (const [node, servers] of Array.from(this.#told)) {
      if (node === this.#options.node) continue;
      for (const told of Array.from(servers.values())) this.#forget(told);
    }
    this.#plan();
  }

  #placementOf(node: string, server: string): ToldServer['placement'] | undefined {
    const { node: ownNode, own, replica } = this.#options;
    if (node !== ownNode) return replica.server(node, server)?.placement;
    const placement: Placement | undefined = own.get(server)?.placement;
    return placement === 'local' ? undefined : placement;
  }

  #remember(told: ToldServer): void {
    const { node, server } = told;
    const key = offerKey(told);
    this.#told.set(node, (this.#told.get(node) ?? new Map<string, ToldServer>()).set(server, told));
    this.#claims.set(key, (this.#claims.get(key) ?? new Set<ToldServer>()).add(told));
    this.#planSoon(key);
  }

  #forget(told: ToldServer): void {
    const key = offerKey(told);
    const [servers, claims] = [this.#told.get(told.node), this.#claims.get(key)];
    servers?.delete(told.server);
    if (servers?.size === 0) this.#told.delete(told.node);
    claims?.delete(told);
    if (claims?.size === 0) this.#claims.delete(key);
    this.#planSoon(key);
  }

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

  #planKey(key: string, added: string[], removed: string[]): boolean {
    const { node, own, context } = this.#options;
    const told = Array.from(this.#claims.get(key) ?? []);
    const known = this.#sources.get(key);
    const isOwnName = (name: string) => own.has(name);
    const { offer, conflicts } = planOffer({ node, told, current: known?.placement, isOwnName });
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
