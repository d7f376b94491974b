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
import { HeldSource } from './held-source.js';
import { OwnServer } from './own-server.js';

export interface OwnServersOptions {
  readonly bus: FleetBus;
  readonly policy: Pick<FleetPolicy, 'heartbeatMs' | 'node' | 'placement'>;
  readonly replica: Pick<Replica, 'singleton'>;
  /** What other nodes have. */
  readonly definitions: Pick<DefinitionStore, 'has'>;
  life(holder: SingletonEntry): Rival['life'];
  /** `undefined` as long as this node is no part of the fleet. */
  incarnation(): number | undefined;
  isConfirmed(): boolean;
  isCurrent(): boolean;
  /** A server of that name is here now, or is not any more. */
  onPlaced(server: string, placement: Placement, isHere: boolean): void;
  /** It offers something else. */
  onChange(server: string): void;
  /** It runs here now, or does not any more, of those that the fleet runs once. */
  onHolds(server: string): void;
  onProblem(message: string, error?: unknown): void;
}

/** This node's own servers: what they are to the fleet, as they come and go. */
export class OwnServers {
  readonly #options: OwnServersOptions;
  readonly #servers = new Map<string, OwnServer>();
  /** Those that are being taken out of the fleet, by name. One that has a name again waits for the one before. */
  readonly #leaving = new Map<string, Promise<void>>();
  #seq = 0;

  constructor(options: OwnServersOptions) {
    this.#options = options;
  }

  get all(): ReadonlyMap<string, OwnServer> {
    return this.#servers;
  }

  /** @throws {TypeError} It is no source, or there is one of that name. Or what the source throws. */
  add(entry: FleetSource | PlacedSource): void {
    const { source, placement } = resolveSource(entry, this.#options.policy.placement);
    const { name } = source;
    if (this.#servers.has(name)) {
      throw new TypeError(`sources: this node has a source named ${JSON.stringify(name)} already`);
    }
    const server = this.#place(source, placement);
    this.#servers.set(name, server);
    this.#options.onPlaced(name, placement, true);
    this.#tell(server);
  }

  /** @throws what the source throws that is to stop. */
  async remove(name: string): Promise<void> {
    const server = this.#servers.get(name);
    if (server === undefined) return;
    this.#servers.delete(name);
    this.#options.onPlaced(name, server.placement, false);
    const left = this.#takeOut(server);
    const settled = left.catch(() => undefined);
    this.#leaving.set(name, settled);
    try {
      await left;
    } finally {
      if (this.#leaving.get(name) === settled) this.#leaving.delete(name);
      this.#options.onHolds(name);
      const next = this.#servers.get(name);
      if (next !== undefined) this.#tell(next);
    }
  }

  /** Tells the fleet all that is here, whatever it was told before. */
  publishAll(): void {
    for (const { publisher } of this.#servers.values()) void publisher?.publish({ anew: true });
  }

  /** To be called when the bucket no longer holds what this node has written of the server. */
  publishAgain(name: string): void {
    void this.#servers.get(name)?.publisher?.publish({ anew: true });
  }

  /** To be called when the bucket, a lease or the bus's word on the own lease has changed. */
  look(name?: string): void {
    const servers = name === undefined ? this.#servers.values() : [this.#servers.get(name)];
    for (const server of servers) server?.singleton?.look();
  }

  /**
   * What calls of other nodes run on; `undefined` for what is not theirs to call.
   *
   * @throws {FleetError} `node-unreachable`: the fleet runs it once, and this node may not, or not yet.
   */
  callee(name: string): FleetSource | undefined {
    const server = this.#servers.get(name);
    if (server === undefined || server.placement === 'local') return undefined;
    if (server.takesCalls) return server.callee;
    const { node } = this.#options.policy;
    const message = `The fleet runs ${JSON.stringify(name)} once, and at the moment not on the node ${node}; nothing was run`;
    throw new FleetError('node-unreachable', message, { node, server: name });
  }

  find(digest: string): Definition | undefined {
    for (const { publisher } of this.#servers.values()) {
      const definition = publisher?.find(digest);
      if (definition !== undefined) return definition;
    }
    return undefined;
  }

  /** Calls under way, of servers that several nodes may have. */
  load(): Readonly<Record<string, number>> {
    const busy = Array.from(this.#servers.values()).filter(
      ({ placement, inFlight }) => isShared(placement) && inFlight > 0,
    );
    return Object.fromEntries(busy.map(({ source, inFlight }) => [source.name, inFlight]));
  }

  /** Takes all of them out of the fleet. They stay here. @returns What went wrong. */
  async leave(): Promise<readonly unknown[]> {
    const leaving = Array.from(this.#servers.values(), (server) => this.#takeOut(server));
    const steps = await Promise.allSettled([...leaving, ...this.#leaving.values()]);
    return steps.flatMap((step) => (step.status === 'rejected' ? [step.reason] : []));
  }

  /** After the one of the same name that was here before. */
  async #takeOut(server: OwnServer): Promise<void> {
    const before = this.#leaving.get(server.source.name);
    await Promise.all([before, server[Symbol.asyncDispose]()]);
  }

  #tell({ publisher, singleton }: OwnServer): void {
    if (this.#options.incarnation() !== undefined) void publisher?.publish();
    singleton?.look();
  }

  #place(source: FleetSource, placement: Placement): OwnServer {
    const { bus, policy, definitions, onChange, onProblem } = this.#options;
    const { name } = source;
    if (placement === 'local') return new OwnServer({ source, placement });
    const incarnation = this.#incarnationAfter(name, this.#leaving.get(name));
    const held = placement === 'singleton' ? new HeldSource({ source, onProblem }) : undefined;
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
        held?.look();
      },
      onProblem: (error) => onProblem(`What ${JSON.stringify(name)} offers could not be told to the fleet`, error),
    });
    const singleton = held && this.#singletonOf(held, { name, incarnation });
    return new OwnServer({ source, placement, publisher, singleton, held });
  }

  #singletonOf(
    held: HeldSource,
    { name, incarnation }: { readonly name: string; incarnation(): number | undefined },
  ): Singleton {
    const { bus, policy, replica, life, isConfirmed, isCurrent, onHolds } = this.#options;
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
      onHolds: (holds) => {
        held.hold(holds);
        onHolds(name);
      },
    });
  }

  /** `undefined`, too, as long as the server that had the name before is being taken out. */
  #incarnationAfter(name: string, before: Promise<void> | undefined): () => number | undefined {
    return () => (before && this.#leaving.get(name) === before ? undefined : this.#options.incarnation());
  }
}

/** Whether several nodes have a server as one. */
export function isShared(placement: Placement): boolean {
  return placement === 'singleton' || placement === 'replicated';
}
