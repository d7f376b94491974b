import type { Disposable, SourceToolResult } from '@x/internal/contracts';
import type { Emitter } from '@x/internal/events';
import { optionTable } from '@x/internal/options';
import type { FleetBus } from '../bus.js';
import { receiveDefinitions } from '../catalog/announcements.js';
import { DefineClient } from '../catalog/define-client.js';
import type { Definition } from '../catalog/definition.js';
import { DefinitionStore } from '../catalog/definition-store.js';
import { serverKey } from '../catalog/records.js';
import type { Replica, ReplicaChange } from '../catalog/replica.js';
import type { FleetEvents } from '../events.js';
import type { LeaseTable } from '../lease/lease-table.js';
import type { FleetPolicy, PlacedSource } from '../options.js';
import { Holders } from '../placement/holders.js';
import type { FleetSource } from '../source.js';
import { attachSources, type SourceRegistry } from './attach-sources.js';
import type { ToolCall } from './offered-source.js';
import { Offers } from './offers.js';
import type { OwnServer } from './own-server.js';
import { isShared, OwnServers } from './own-servers.js';
import { type Owner, ownerOf } from './owners.js';

/** Filter of `sources()` and `attachTo()`. */
export interface SourcesOptions {
  readonly own?: boolean | undefined;
}

export const sourcesOptions = optionTable<SourcesOptions>()({ own: { kind: 'flag', default: true } });

interface NodeSourcesOptions {
  readonly bus: FleetBus;
  readonly policy: FleetPolicy;
  readonly replica: Replica;
  readonly leases: LeaseTable;
  readonly events: Emitter<FleetEvents>;
  /** Incarnation of this node; `undefined` unless it has joined. */
  incarnation(): number | undefined;
  isConfirmed(): boolean;
  isCurrent(): boolean;
  callRemote(owner: Owner, call: ToolCall): Promise<SourceToolResult>;
  /** Number of calls that this node has in progress on another one. */
  inFlight(node: string): number;
}

/** Sources of one node: its own servers and the offers of other nodes, kept in step with the replica. */
export class NodeSources {
  readonly #options: NodeSourcesOptions;
  readonly #definitions = new DefinitionStore();
  readonly #defineClient: DefineClient;
  readonly #announcements: Disposable;
  readonly #own: OwnServers;
  readonly #holders: Holders;
  readonly #offers: Offers;

  constructor(options: NodeSourcesOptions) {
    const { bus, policy, replica, leases, events } = options;
    const { node } = policy;
    this.#options = options;
    this.#defineClient = new DefineClient({ bus, node, store: this.#definitions });
    this.#announcements = receiveDefinitions(bus, node, this.#definitions);
    this.#own = this.#ownServers();
    const own = this.#own.all;
    this.#holders = new Holders({
      ...{ node, own, replica, leases },
      onChange: (change) => {
        this.#offers.holderChanged(change.server);
        events.emit('singleton-state', change);
      },
    });
    const owners = { node, own, replica, leases, inFlight: options.inFlight };
    this.#offers = new Offers({
      ...{ node, own, replica },
      context: {
        owner: (other, server) => ownerOf(owners, other, server),
        holder: (server) => this.#holders.of(server),
        callRemote: options.callRemote,
        definitions: this.#definitions,
        defineClient: this.#defineClient,
      },
      onChange: (change) => events.emit('sources-changed', change),
      onConflict: (message) => events.emit('problem', { message }),
    });
  }

  get own(): ReadonlyMap<string, OwnServer> {
    return this.#own.all;
  }

  get singletons(): ReturnType<Holders['list']> {
    return this.#holders.list();
  }

  list({ own = true }: SourcesOptions = {}): readonly FleetSource[] {
    const plain = Array.from(this.own.values()).filter(({ placement }) => !isShared(placement));
    const sources = [...(own ? plain.map(({ source }) => source) : []), ...this.#offers.list()];
    return sources.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  attachTo(registry: SourceRegistry, options: SourcesOptions): Disposable {
    const { events } = this.#options;
    return attachSources(registry, {
      list: () => this.list(options),
      find: (name) => this.#find(name, options),
      onChange: (listener) => events.on('sources-changed', listener),
      onProblem: (message, error) => events.emit('problem', { message, error }),
    });
  }

  /** Name of the source for a server of a node; `undefined` without one. */
  nameOf(node: string, server: string): string | undefined {
    return this.#offers.of(node, server)?.name;
  }

  add(entry: FleetSource | PlacedSource): void {
    this.#own.add(entry);
  }

  remove(name: string): Promise<void> {
    return this.#own.remove(name);
  }

  /** As `callee` of `OwnServers`. */
  callee(server: string): FleetSource | undefined {
    return this.#own.callee(server);
  }

  definition(digest: string): Definition | undefined {
    return this.#own.find(digest);
  }

  load(): Readonly<Record<string, number>> {
    return this.#own.load();
  }

  /** Publishes all servers and repeats listings. Call after this node has joined, also after each reconnect. */
  onJoined(): void {
    this.#own.publishAll();
    this.#offers.retryListings();
    this.#forgetEarlierLives();
    this.updateSingletons();
  }

  onNode(node: string): void {
    this.#offers.nodeChanged(node);
  }

  onReplicaChange(change: ReplicaChange): void {
    const { policy, events } = this.#options;
    if (change.kind === 'refused') {
      if (change.gone !== undefined) this.onReplicaChange(change.gone);
      const message = `The bucket holds an unreadable record under "${change.key}"; it is ignored. Another version may have written it`;
      events.emit('problem', { message });
    } else if (change.kind === 'singleton') this.updateSingletons(change.server);
    else if (change.kind === 'outdated' && change.node === policy.node) this.#own.publishAgain(change.server);
    else if (change.kind !== 'lease' && change.node === policy.node) this.#defendOwn(change.server);
    else if (change.kind === 'server') this.#offers.serverChanged(change.node, change.server);
  }

  /** Decides holders anew. Call after changes of leases, of the membership, or of the record of one singleton. */
  updateSingletons(server?: string): void {
    this.#own.updateSingletons(server);
    this.#holders.update(server);
  }

  /**
   * Withdraws all servers of this node.
   *
   * @returns Errors of the withdrawals.
   */
  leave(): Promise<readonly unknown[]> {
    return this.#own.leave();
  }

  /** Removes the sources of other nodes. Call after this node has left. */
  close(): void {
    this.#defineClient[Symbol.dispose]();
    this.#announcements[Symbol.dispose]();
    this.#offers.forgetOthers();
  }

  #ownServers(): OwnServers {
    const { events, incarnation, isConfirmed, isCurrent, ...options } = this.#options;
    return new OwnServers({
      ...options,
      definitions: this.#definitions,
      life: (holder) => this.#holders.life(holder),
      incarnation,
      isConfirmed,
      isCurrent,
      onPlaced: (name, placement, isHere) => {
        this.#offers.ownPlaced(name);
        if (isShared(placement)) return; // `#offers` emits the event for shared servers
        events.emit('sources-changed', { added: isHere ? [name] : [], removed: isHere ? [] : [name] });
      },
      onChange: (name) => this.#offers.ownChanged(name),
      onHolderChange: (name) => this.#holders.update(name),
      onProblem: (message, error) => events.emit('problem', { message, error }),
    });
  }

  #find(name: string, { own = true }: SourcesOptions): FleetSource | undefined {
    const server = own ? this.own.get(name) : undefined;
    return server !== undefined && !isShared(server.placement) ? server.source : this.#offers.get(name);
  }

  /** Deletes records of earlier lives that did not leave; only this node may write under its name. */
  #forgetEarlierLives(): void {
    const { bus, policy, replica } = this.#options;
    for (const server of replica.leftovers(policy.node)) {
      if (this.own.has(server)) continue; // the publisher overwrites it
      void bus.bucket.delete(serverKey(policy.node, server)).catch(() => undefined);
    }
  }

  /** Publishes a server again after a delayed write of an earlier life changed its record. */
  #defendOwn(server: string): void {
    const { policy, replica } = this.#options;
    const incarnation = this.#options.incarnation();
    if (incarnation !== undefined && replica.incarnationOf(policy.node, server) !== incarnation)
      this.#own.publishAgain(server);
  }
}
