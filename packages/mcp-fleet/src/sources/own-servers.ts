import type { FleetBus } from '../bus.js';
import type { Definition } from '../catalog/definition.js';
import type { DefinitionStore } from '../catalog/definition-store.js';
import { Publisher } from '../catalog/publisher.js';
import type { Placement } from '../catalog/records.js';
import type { Replica, SingletonEntry } from '../catalog/replica.js';
import { FleetError } from '../errors.js';
import { type FleetPolicy, type PlacedSource, resolveSource } from '../options.js';
import type { Rival } from '../placement/decide-singleton.js';
import { Singleton } from '../placement/singleton.js';
import type { FleetSource } from '../source.js';
import { OwnServer } from './own-server.js';
import { SingletonSource } from './singleton-source.js';

interface OwnServersOptions {
  readonly bus: FleetBus;
  readonly policy: Pick<FleetPolicy, 'heartbeatMs' | 'node' | 'placement'>;
  readonly replica: Pick<Replica, 'singleton'>;
  readonly definitions: Pick<DefinitionStore, 'has'>;
  life(holder: SingletonEntry): Rival['life'];
  incarnation(): number | undefined;
  isConfirmed(): boolean;
  isCurrent(): boolean;
  onPlaced(server: string, placement: Placement, isHere: boolean): void;
  onChange(server: string): void;
  onHolderChange(server: string): void;
  onProblem(message: string, error?: unknown): void;
}

export class OwnServers {
  readonly #options: OwnServersOptions;
  readonly #servers = new Map<string, OwnServer>();
  /** Pending withdrawals by name, which new servers of that name wait for. */
  readonly #withdrawals = new Map<string, Promise<void>>();
  #seq = 0;

  constructor(options: OwnServersOptions) {
    this.#options = options;
  }

  get all(): ReadonlyMap<string, OwnServer> {
    return this.#servers;
  }

  /**
   * @throws {TypeError} The value is not a source, or the name is in use.
   * @throws Errors of the source.
   */
  add(entry: FleetSource | PlacedSource): void {
    const { source, placement } = resolveSource(entry, this.#options.policy.placement);
    const { name } = source;
    if (this.#servers.has(name)) {
      throw new TypeError(`sources: this node already has a source named ${JSON.stringify(name)}`);
    }
    const server = this.#place(source, placement);
    this.#servers.set(name, server);
    this.#options.onPlaced(name, placement, true);
    this.#activate(server);
  }

  async remove(name: string): Promise<void> {
    const server = this.#servers.get(name);
    if (server === undefined) return;
    this.#servers.delete(name);
    this.#options.onPlaced(name, server.placement, false);
    const left = this.#withdraw(server);
    const settled = left.catch(() => undefined);
    this.#withdrawals.set(name, settled);
    try {
      await left;
    } finally {
      if (this.#withdrawals.get(name) === settled) this.#withdrawals.delete(name);
      this.#options.onHolderChange(name);
      const next = this.#servers.get(name);
      if (next !== undefined) this.#activate(next);
    }
  }

  /** Publishes all servers, even if unchanged. */
  publishAll(): void {
    for (const { publisher } of this.#servers.values()) void publisher?.publish({ anew: true });
  }

  /** Publishes one server, even if unchanged. Call when the bucket has lost this node's record of it. */
  publishAgain(name: string): void {
    void this.#servers.get(name)?.publisher?.publish({ anew: true });
  }

  /**
   * Decides holders anew. Call after changes of the bucket, of a lease, or of the confirmation of this node's lease.
   */
  updateSingletons(name?: string): void {
    const servers = name === undefined ? this.#servers.values() : [this.#servers.get(name)];
    for (const server of servers) server?.singleton?.update();
  }

  /**
   * Target of remote calls; `undefined` for servers that are not offered.
   *
   * @throws {FleetError} `node-unreachable`: a singleton that this node does not hold.
   */
  callee(name: string): FleetSource | undefined {
    const server = this.#servers.get(name);
    if (server === undefined || server.placement === 'local') return undefined;
    if (server.acceptsCalls) return server.callee;
    const { node } = this.#options.policy;
    const message = `The node ${node} does not run the singleton ${JSON.stringify(name)} at the moment; nothing was run`;
    throw new FleetError('node-unreachable', message, { node, server: name });
  }

  find(digest: string): Definition | undefined {
    for (const { publisher } of this.#servers.values()) {
      const definition = publisher?.find(digest);
      if (definition !== undefined) return definition;
    }
    return undefined;
  }

  load(): Readonly<Record<string, number>> {
    const busy = Array.from(this.#servers.values()).filter(
      ({ placement, inFlight }) => isShared(placement) && inFlight > 0,
    );
    return Object.fromEntries(busy.map(({ source, inFlight }) => [source.name, inFlight]));
  }

  /**
   * Withdraws all servers; they stay on this node.
   *
   * @returns Errors of the withdrawals.
   */
  async leave(): Promise<readonly unknown[]> {
    const leaving = Array.from(this.#servers.values(), (server) => this.#withdraw(server));
    const steps = await Promise.allSettled([...leaving, ...this.#withdrawals.values()]);
    return steps.flatMap((step) => (step.status === 'rejected' ? [step.reason] : []));
  }

  async #withdraw(server: OwnServer): Promise<void> {
    const before = this.#withdrawals.get(server.source.name);
    await Promise.all([before, server[Symbol.asyncDispose]()]);
  }

  #activate({ publisher, singleton }: OwnServer): void {
    if (this.#options.incarnation() !== undefined) void publisher?.publish();
    singleton?.update();
  }

  #place(source: FleetSource, placement: Placement): OwnServer {
    const { bus, policy, definitions, onChange, onProblem } = this.#options;
    const { name } = source;
    if (placement === 'local') return new OwnServer({ source, placement });
    const incarnation = this.#incarnationAfter(name, this.#withdrawals.get(name));
    const held = placement === 'singleton' ? new SingletonSource({ source, onProblem }) : undefined;
    const publisher = new Publisher({
      bus,
      node: policy.node,
      source,
      placement,
      incarnation,
      nextSeq: () => (this.#seq += 1),
      isKnown: (digest) => definitions.has(digest),
      onChange: () => {
        onChange(name);
        held?.checkStopped();
      },
      onProblem: (error) => onProblem(`The tools of ${JSON.stringify(name)} could not be published`, error),
    });
    const singleton = held && this.#singletonOf(held, { name, incarnation });
    return new OwnServer({ source, placement, publisher, singleton, held });
  }

  #singletonOf(
    held: SingletonSource,
    { name, incarnation }: { readonly name: string; incarnation(): number | undefined },
  ): Singleton {
    const { bus, policy, replica, life, isConfirmed, isCurrent, onHolderChange } = this.#options;
    return new Singleton({
      bus,
      node: policy.node,
      server: name,
      heartbeatMs: policy.heartbeatMs,
      incarnation,
      isConfirmed,
      isCurrent,
      entry: () => replica.singleton(name),
      holder: life,
      onHolderChange: (isHolder) => {
        held.setHolder(isHolder);
        onHolderChange(name);
      },
    });
  }

  /** `undefined` during the withdrawal of an earlier server of that name. */
  #incarnationAfter(name: string, before: Promise<void> | undefined): () => number | undefined {
    return () => (before && this.#withdrawals.get(name) === before ? undefined : this.#options.incarnation());
  }
}

export function isShared(placement: Placement): boolean {
  return placement === 'singleton' || placement === 'replicated';
}
