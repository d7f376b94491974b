import type { AsyncDisposable, Disposable, EventSource, SourceToolResult } from '@x/internal/contracts';
import { Emitter } from '@x/internal/events';
import { refusePromise, signalOptions } from '@x/internal/options';
import type { BusEvent, FleetBus } from './bus.js';
import { Replica } from './catalog/replica.js';
import { FleetError } from './errors.js';
import { type FleetEvents, fleetEvents } from './events.js';
import { LeaseTable } from './lease/lease-table.js';
import { LiveNodes } from './lease/live-nodes.js';
import { Membership } from './lease/membership.js';
import { defaultMemoryBroker } from './memory/broker.js';
import { type FleetOptions, type FleetPolicy, type PlacedSource, resolveFleetOptions } from './options.js';
import { createNodeKey, type NodeKey } from './principal/principals.js';
import { type FleetService, openService } from './service.js';
import type { FleetSource } from './source.js';
import type { SourceRegistry } from './sources/attach-sources.js';
import { NodeSources, type SourcesOptions, sourcesOptions } from './sources/node-sources.js';
import type { ToolCall } from './sources/offered-source.js';
import type { Owner } from './sources/owners.js';
import { type FleetStatus, nodeStatuses } from './status.js';
import { joinedWithin, whenJoined } from './when-joined.js';

/** One process as a node of a fleet, with its own servers and those of other nodes. */
export interface Fleet extends AsyncDisposable {
  readonly node: string;
  readonly events: EventSource<FleetEvents>;
  /**
   * Sources for the models of this node, sorted by name: its own servers by name, servers of other nodes as
   * `server@node`, and servers that other nodes share as `server@fleet`.
   *
   * @param options.own - `false` omits this node's own servers, except shared ones. Default `true`.
   */
  sources(options?: SourcesOptions): readonly FleetSource[];
  /** Attaches all `sources()` to a registry and follows their changes until disposed. */
  attachTo(registry: SourceRegistry, options?: SourcesOptions): Disposable;
  /**
   * Offers one more source to the fleet.
   *
   * @throws {TypeError} The value is not a source, or this node has a source with its name.
   * @throws {FleetError} `closed`.
   */
  add(source: FleetSource | PlacedSource): void;
  /**
   * Withdraws a source; stops it first if it is a singleton. Does nothing for an unknown name.
   *
   * @throws Error of the singleton's `stop`, or `timed-out` after one minute. Then no other node runs it until this
   *   node has left.
   */
  remove(name: string): Promise<void>;
  /**
   * Resolves once this node has joined and knows the offers of other nodes. Its own servers work before that.
   *
   * @throws {FleetError} `node-taken`, `superseded`, `forbidden`, `unsuitable-runtime`, `closed`; or the signal's
   *   reason. Stays pending while the bus is down or refuses this node; `status().error` has the reason.
   */
  whenJoined(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** Snapshot of the fleet as this node sees it. */
  status(): FleetStatus;
  /**
   * Leaves the fleet: withdraws all offers, stops and releases singletons, releases the node name, and ends calls in
   * progress. Other servers of this node keep running. A second call returns the first promise.
   *
   * @throws {AggregateError} Some singletons did not stop. The node has left regardless.
   */
  close(): Promise<void>;
}

/**
 * Makes this process a node of a fleet. Joins in the background; this node's servers work without a bus.
 *
 * @throws {TypeError} An option is out of bounds; the message names it.
 * @throws {FleetError} `closed`: the given bus is closed.
 */
export function createFleet(options: FleetOptions): Fleet {
  return new RunningFleet(resolveFleetOptions(options), options.bus);
}

/** Time to join for calls without a timeout, in milliseconds. */
const CALL_TIMEOUT_MS = 60_000;

class RunningFleet implements Fleet {
  readonly node: string;
  readonly events = new Emitter<FleetEvents>(fleetEvents);
  readonly #policy: FleetPolicy;
  readonly #bus: FleetBus;
  readonly #ownsBus: boolean;
  readonly #replica = new Replica();
  readonly #leases = new LeaseTable();
  readonly #live = new LiveNodes(this.#leases);
  readonly #sources: NodeSources;
  readonly #busEvents: Disposable;
  readonly #starting: Promise<void>;
  readonly #joining = { events: this.events, state: () => this.#joinState() };
  #membership: Membership | undefined;
  #service: FleetService | undefined;
  #phase: 'joining' | 'joined' | 'failed' | 'left' = 'joining';
  #error: FleetError | undefined;
  /** Message of the last `bus-failed` event; each reason is reported once. */
  #reportedFailure: string | undefined;
  #closing: Promise<void> | undefined;

  constructor(policy: FleetPolicy, bus: FleetBus | undefined) {
    const { node } = policy;
    this.node = node;
    this.#policy = policy;
    this.#ownsBus = bus === undefined;
    this.#bus = bus ?? defaultMemoryBroker().connect({ node });
    this.#sources = new NodeSources({
      ...{ bus: this.#bus, policy, replica: this.#replica, leases: this.#leases, events: this.events },
      incarnation: () => (this.#phase === 'joined' ? this.#membership?.incarnation : undefined),
      isConfirmed: () => this.#membership?.isConfirmed === true,
      isCurrent: () => this.#membership?.isCurrent === true,
      callRemote: (owner, call) => this.#callRemote(owner, call),
      inFlight: (other) => this.#service?.caller.inFlight(other) ?? 0,
    });
    this.#busEvents = this.#bus.onEvent((event) => this.#onBusEvent(event));
    this.#addAll();
    this.#starting = this.#start();
  }

  sources(options?: SourcesOptions): readonly FleetSource[] {
    return this.#sources.list(sourcesOptions.read(options));
  }

  attachTo(registry: SourceRegistry, options?: SourcesOptions): Disposable {
    refusePromise('The registry', registry);
    if (typeof Object(registry).attach !== 'function') {
      throw new TypeError('attachTo() needs a registry with attach(), such as createRegistry()');
    }
    return this.#sources.attachTo(registry, sourcesOptions.read(options));
  }

  add(entry: FleetSource | PlacedSource): void {
    if (this.#closing !== undefined) throw left(this.node);
    this.#sources.add(entry);
  }

  remove(name: string): Promise<void> {
    return this.#sources.remove(name);
  }

  async whenJoined(options?: { readonly signal?: AbortSignal | undefined }): Promise<void> {
    await whenJoined({ ...this.#joining, ...signalOptions.read(options) });
  }

  status(): FleetStatus {
    const { node, heartbeatMs } = this.#policy;
    const incarnation = this.#membership?.incarnation;
    const error = this.#error ?? (this.#phase === 'left' ? undefined : this.#bus.failure);
    const isCutOff = this.#phase === 'joined' && this.#membership?.isCutOff === true;
    return {
      node,
      phase: isCutOff ? 'cut-off' : this.#phase,
      ...(error && { error }),
      ...(incarnation !== undefined && { incarnation }),
      isBusConnected: this.#bus.isConnected,
      heartbeatMs,
      nodes: nodeStatuses({
        node,
        incarnation,
        own: this.#sources.own,
        replica: this.#replica,
        leases: this.#leases,
        sourceOf: (owner, server) => this.#sources.nameOf(owner, server),
      }),
      singletons: this.#sources.singletons,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#leave();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #addAll(): void {
    try {
      for (const source of this.#policy.sources) this.#sources.add(source);
    } catch (error) {
      void this.close().catch(() => undefined);
      throw error;
    }
  }

  /** Creates the key before joining, because the lease contains its public half. */
  async #start(): Promise<void> {
    const { node, heartbeatMs } = this.#policy;
    const key = await createNodeKey().catch((error: FleetError) => this.#fail(error));
    if (key === undefined || this.#error !== undefined || this.#closing !== undefined) return;
    // The bus may have failed before this listener was added.
    if (this.#bus.failure !== undefined) this.#reportBusFailure(this.#bus.failure);
    this.#membership = new Membership({
      bus: this.#bus,
      node,
      heartbeatMs,
      replica: this.#replica,
      leases: this.#leases,
      content: () => ({ publicKey: key.publicKey, load: this.#sources.load() }),
      onJoined: () => this.#onJoined(key),
      onFailed: (error) => this.#fail(error),
      onNode: (other, state) => this.#onNode(other, state),
      onChange: (change) => this.#sources.onReplicaChange(change),
      onLeases: () => this.#sources.updateSingletons(),
    });
  }

  #joinState(): 'joined' | 'joining' | FleetError {
    if (this.#closing !== undefined) return left(this.node);
    return this.#error ?? (this.#phase === 'joined' ? 'joined' : 'joining');
  }

  #onJoined(key: NodeKey): void {
    const { node } = this.#policy;
    const incarnation = this.#membership?.incarnation;
    if (incarnation === undefined || this.#closing !== undefined) return;
    this.#service ??= this.#openService(incarnation, key);
    this.#phase = 'joined';
    this.#sources.onJoined();
    this.events.emit('joined', { node, incarnation });
  }

  #openService(incarnation: number, { privateKey }: NodeKey): FleetService {
    return openService({
      bus: this.#bus,
      policy: this.#policy,
      incarnation,
      nodes: this.#live,
      privateKey,
      callee: (server) => this.#sources.callee(server),
      find: (digest) => this.#sources.definition(digest),
      onProblem: (problem) => this.events.emit('problem', problem),
    });
  }

  async #callRemote(
    { node, incarnation }: Owner,
    { server, tool, args, options }: ToolCall,
  ): Promise<SourceToolResult> {
    // The offers of other nodes arrive slightly before this node has joined.
    if (this.#phase === 'joining' && this.#bus.isConnected) {
      await joinedWithin(options.timeoutMs ?? CALL_TIMEOUT_MS, { ...this.#joining, signal: options.signal });
    }
    const caller = this.#service?.caller;
    if (caller === undefined) {
      const message = `"${server}" of the node "${node}" cannot be called: this node has not joined the fleet`;
      throw this.#error ?? new FleetError('bus-down', message, { node, server });
    }
    return caller.call({ owner: node, incarnation, server, tool, args, options });
  }

  #onBusEvent(event: BusEvent): void {
    if (event.type === 'connected' || event.type === 'disconnected') {
      if (event.type === 'connected') this.#reportedFailure = undefined;
      this.events.emit('bus-state', { isConnected: event.type === 'connected' });
    } else if (event.type === 'failed') {
      this.#reportBusFailure(event.error);
    } else if (event.type === 'forbidden') {
      this.events.emit('forbidden', { operation: event.operation, subject: event.subject });
    } else if (this.#closing === undefined) {
      const message = 'The bus was closed, so this node has left the fleet';
      const error = new FleetError('closed', message, { node: this.node, ...(event.error && { cause: event.error }) });
      if (this.#membership === undefined) this.#fail(error);
      else this.#membership.fail(error);
    }
  }

  #reportBusFailure(error: FleetError): void {
    if (error.message === this.#reportedFailure) return;
    this.#reportedFailure = error.message;
    this.events.emit('bus-failed', { error });
  }

  #onNode(node: string, state: 'alive' | 'unreachable' | 'left'): void {
    this.#live.update(node);
    this.#sources.onNode(node);
    this.events.emit('node-state', { node, state });
  }

  #fail(error: FleetError): void {
    if (this.#error !== undefined || this.#closing !== undefined) return;
    this.#error = error;
    this.#phase = 'failed';
    this.#sources.updateSingletons();
    this.#service?.close();
    this.events.emit('join-failed', { error });
  }

  async #leave(): Promise<void> {
    await this.#starting;
    const causes = await this.#sources.leave();
    this.#phase = 'left';
    this.#service?.close();
    await this.#membership?.[Symbol.asyncDispose]();
    this.#busEvents[Symbol.dispose]();
    this.#sources.close();
    if (this.#ownsBus) await this.#bus.close();
    this.events.emit('left', { node: this.node });
    if (causes.length > 0) throw new AggregateError(causes, `${causes.length} singletons did not stop`);
  }
}

function left(node: string): FleetError {
  return new FleetError('closed', `The node "${node}" has left the fleet`, { node });
}
