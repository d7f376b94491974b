import { FLEET_WIDE, fleetName } from '@x/internal/names';
import type { Placement } from '../catalog/records.js';
import type { Replica } from '../catalog/replica.js';
import { offerKey, planOffer, type ReportedServer } from '../placement/plan-offers.js';
import { type OfferContext, OfferedSource } from './offered-source.js';
import type { OwnServer } from './own-server.js';

interface OffersOptions {
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
  readonly #reports = new Map<string, Map<string, ReportedServer>>();
  readonly #claims = new Map<string, Set<ReportedServer>>();
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
    const report = this.#reports.get(node)?.get(server);
    const source = report && this.#sources.get(offerKey(report));
    return source?.owners.includes(node) && source.server === server ? source : undefined;
  }

  /**
   * Updates the offers of a server. Call when another node's record of it changes, or when this node adds or removes
   * it.
   */
  serverChanged(node: string, server: string): void {
    const placement = this.#placementOf(node, server);
    const before = this.#reports.get(node)?.get(server);
    if (before?.placement === placement) {
      this.of(node, server)?.refresh();
      return;
    }
    if (before !== undefined) this.#removeReport(before);
    if (placement !== undefined) this.#addReport({ node, server, placement });
  }

  nodeChanged(node: string): void {
    const before = Array.from(this.#reports.get(node)?.keys() ?? []);
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
    this.#schedulePlan(server);
  }

  retryListings(): void {
    for (const source of this.#sources.values()) source.retryListing();
  }

  /** Removes the servers of other nodes. Call after this node has left. */
  forgetOthers(): void {
    for (const [node, servers] of Array.from(this.#reports)) {
      if (node === this.#options.node) continue;
      for (const report of Array.from(servers.values())) this.#removeReport(report);
    }
    this.#plan();
  }

  #placementOf(node: string, server: string): ReportedServer['placement'] | undefined {
    const { node: ownNode, own, replica } = this.#options;
    if (node !== ownNode) return replica.server(node, server)?.placement;
    const placement: Placement | undefined = own.get(server)?.placement;
    return placement === 'local' ? undefined : placement;
  }

  #addReport(report: ReportedServer): void {
    const { node, server } = report;
    const key = offerKey(report);
    this.#reports.set(node, (this.#reports.get(node) ?? new Map<string, ReportedServer>()).set(server, report));
    this.#claims.set(key, (this.#claims.get(key) ?? new Set<ReportedServer>()).add(report));
    this.#schedulePlan(key);
  }

  #removeReport(report: ReportedServer): void {
    const key = offerKey(report);
    const [servers, claims] = [this.#reports.get(report.node), this.#claims.get(key)];
    servers?.delete(report.server);
    if (servers?.size === 0) this.#reports.delete(report.node);
    claims?.delete(report);
    if (claims?.size === 0) this.#claims.delete(key);
    this.#schedulePlan(key);
  }

  #shared(server: string): OfferedSource | undefined {
    return this.#sources.get(fleetName(server, FLEET_WIDE));
  }

  #schedulePlan(key: string): void {
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
    const reports = Array.from(this.#claims.get(key) ?? []);
    const known = this.#sources.get(key);
    const isOwnName = (name: string) => own.has(name);
    const { offer, conflicts } = planOffer({ node, reports, current: known?.placement, isOwnName });
    this.#reportConflicts(key, conflicts);
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

  #reportConflicts(key: string, conflicts: readonly string[]): void {
    const before = this.#conflicts.get(key) ?? [];
    if (conflicts.length === 0) this.#conflicts.delete(key);
    else this.#conflicts.set(key, conflicts);
    for (const conflict of conflicts) if (!before.includes(conflict)) this.#options.onConflict(conflict);
  }
}
