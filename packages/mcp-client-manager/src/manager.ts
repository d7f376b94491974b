import { createMemoryStore } from './catalog-cache/memory-store.js';
import { ChangeFeed, type ChangesOptions, type ServerChange } from './changes.js';
import { ManagerError } from './errors.js';
import { EventHub, type EventSource } from './events.js';
import type { ManagedServer, WaitOptions } from './managed-server.js';
import { type ClientManagerOptions, type ManagerPolicy, resolveOptions } from './options.js';
import { ProcessHost } from './process/process-host.js';
import { type Reconciliation, reconcile } from './reconcile.js';
import { resolveSpec, type ServerPolicy } from './resolve-spec.js';
import type { CallOptions } from './routing/call-options.js';
import type { ServerStatus } from './server-status.js';
import type { ToolCallResult } from './session/session.js';
import type { ServerSpec } from './spec.js';
import { type Stoppable, stopInOrder } from './stop-order.js';
import { type SharedParts, type SupervisedServer, superviseServer } from './supervised-server.js';
import { HostSleep } from './supervisor/host-sleep.js';
import { StartSlots } from './supervisor/start-slots.js';

/** What should run. A loaded config of `@x/mcp-config-schema` fits as it stands. */
export interface ServerSpecs {
  readonly servers: Iterable<ServerSpec>;
}

/** Starts, watches, stops and calls MCP servers by their names. */
export interface ClientManager extends AsyncDisposable {
  readonly events: EventSource;
  /** Every server in the order of the config. */
  servers(): readonly ManagedServer[];
  /** @throws {ManagerError} `unknown-server`, with the names that there are. */
  server(name: string): ManagedServer;
  /** One row per server, in the order of the config. */
  status(): readonly ServerStatus[];
  /**
   * Where every server is now, and from then on each that has changed, as it is when the row is read: changes that come
   * faster than they are read become one. Ends when the manager is closed, and rejects with the signal's reason when that
   * aborts.
   */
  changes(options?: ChangesOptions): AsyncIterable<ServerChange>;
  /**
   * Starts every server whose spec has `autoStart`, those of the highest priority first and a few at a time, and waits
   * until each is ready or has failed.
   * @returns One outcome per started server; a failed one never keeps the others from starting.
   */
  start(options?: WaitOptions): Promise<readonly StartOutcome[]>;
  /**
   * Stops every server, those of the lowest priority first, after the calls that are under way. They can be started
   * again.
   * @throws {AggregateError} With a `stop-failed` for each server that did not stop.
   */
  stop(): Promise<void>;
  /**
   * Takes on another configuration. Only servers that are to be run in another way are started anew, after the calls that
   * are under way; handles stay valid for every name that stays. Resolves when what was to go is gone, and waits for no
   * start. One `apply` is done after the other.
   *
   * @throws {TypeError} Names the server and the field that is out of bounds; nothing has changed then.
   * @throws {ManagerError} `closed`.
   */
  apply(specs: ServerSpecs): Promise<ApplyReport>;
  /** Calls one tool of one server under the tool's own name. See `ManagedServer.callTool`. */
  callTool(
    server: string,
    tool: string,
    args?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<ToolCallResult>;
  /**
   * Ends every server for good, those of the lowest priority first, and the calls in it; `stop` first lets those finish.
   * Resolves when the processes are gone. A second call joins the first.
   */
  close(): Promise<void>;
}

export type StartOutcome =
  | { readonly server: string; readonly status: 'started' }
  | { readonly server: string; readonly status: 'failed'; readonly error: unknown };

/** What `apply` did, by the names of the servers. */
export interface ApplyReport {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Changed while they ran on. */
  readonly updated: readonly string[];
  /** To be run in another way: the old process is gone, and the new one starts if the old one ran. */
  readonly restarted: readonly string[];
  readonly kept: readonly string[];
  /** Servers of which something could not be stopped. */
  readonly failures: readonly { readonly server: string; readonly error: unknown }[];
}

/**
 * Makes a manager. Nothing is spawned until it is wanted, but for servers that are `eager`: those start right after this.
 *
 * @throws {TypeError} Names the server and the field when a spec or an option is out of bounds.
 */
export function createClientManager({ servers }: ServerSpecs, options?: ClientManagerOptions): ClientManager {
  return new SupervisedServers(resolveSpecs(servers), resolveOptions(options));
}

class SupervisedServers implements ClientManager {
  readonly #parts: SharedParts;
  #servers: ReadonlyMap<string, SupervisedServer>;
  /** Taken out of the configuration and not gone yet. */
  readonly #leaving = new Set<SupervisedServer>();
  #applying: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(specs: readonly ServerPolicy[], policy: ManagerPolicy) {
    this.#parts = {
      policy,
      processes: new ProcessHost(policy),
      slots: new StartSlots({ concurrency: policy.startConcurrency }),
      sleep: new HostSleep(),
      memory: createMemoryStore(policy.stateDirectory),
      hub: new EventHub(),
      changes: new ChangeFeed(),
    };
    this.#servers = new Map(specs.map((server) => [server.name, superviseServer(server, this.#parts)]));
    queueMicrotask(() => beginEager(this.#supervised()));
  }

  get events(): EventSource {
    return this.#parts.hub;
  }

  servers(): readonly ManagedServer[] {
    return Array.from(this.#servers.values(), ({ handle }) => handle);
  }

  server(name: string): ManagedServer {
    const server = this.#servers.get(name);
    if (server) return server.handle;
    const known = Array.from(this.#servers.keys(), (key) => `"${key}"`).join(', ') || 'none';
    throw new ManagerError('unknown-server', `No server is named "${name}". Configured: ${known}.`, { server: name });
  }

  status(): readonly ServerStatus[] {
    return this.servers().map(({ status }) => status);
  }

  changes(options?: ChangesOptions): AsyncIterable<ServerChange> {
    const statusOf = (name: string): ServerStatus | undefined => this.#servers.get(name)?.handle.status;
    return this.#parts.changes.read(() => this.#servers.keys(), statusOf, options);
  }

  async start(options?: WaitOptions): Promise<readonly StartOutcome[]> {
    const wanted = this.#supervised().filter(({ supervisor: { server } }) => server.autoStart && !server.disabled);
    const outcomes = new Map<SupervisedServer, Promise<StartOutcome>>();
    for (const server of highestFirst(wanted)) outcomes.set(server, startOutcome(server.handle, options));
    return Promise.all(wanted.map((server) => outcomes.get(server) as Promise<StartOutcome>));
  }

  async stop(): Promise<void> {
    const start = this.#parts.slots.hold(); // whatever falls meanwhile, or is wanted, is not started before all is done
    try {
      await stopInOrder(this.#supervised().map((server) => stoppable(server, () => server.handle.stop())));
    } finally {
      start();
    }
  }

  apply({ servers }: ServerSpecs): Promise<ApplyReport> {
    const applied = this.#applying.then(() => this.#apply(resolveSpecs(servers)));
    this.#applying = applied.catch(() => undefined); // told to whoever asked for it
    return applied;
  }

  async callTool(
    server: string,
    tool: string,
    args?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<ToolCallResult> {
    return this.server(server).callTool(tool, args, options);
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #supervised(): readonly SupervisedServer[] {
    return [...this.#servers.values()];
  }

  async #apply(wanted: readonly ServerPolicy[]): Promise<ApplyReport> {
    if (this.#closing)
      throw new ManagerError('closed', 'Another configuration cannot be applied: the client manager is closed');
    const current = new Map(this.#servers);
    const plan = reconcile(
      Array.from(current.values(), ({ supervisor }) => supervisor.server),
      wanted,
    );
    this.#servers = new Map(
      wanted.map((server) => [server.name, current.get(server.name) ?? superviseServer(server, this.#parts)]),
    );
    const removed = plan.remove.map((name) => ({ name, work: this.#remove(current.get(name) as SupervisedServer) }));
    const changed = [...plan.update, ...plan.restart].map((server) => ({
      name: server.name,
      work: (current.get(server.name) as SupervisedServer).supervisor.update(server),
    }));
    const report = reportOf(plan);
    this.#tell(report);
    beginEager(plan.add.map(({ name }) => this.#servers.get(name) as SupervisedServer));
    return { ...report, failures: await failuresOf([...removed, ...changed]) };
  }

  async #remove(server: SupervisedServer): Promise<void> {
    this.#leaving.add(server);
    try {
      await server.supervisor.close({ reason: 'removed', calls: 'finish' });
    } finally {
      this.#leaving.delete(server);
      const { name } = server.supervisor.server;
      if (!this.#servers.has(name)) await this.#parts.processes.forget(name);
    }
  }

  #tell({ added, removed, updated, restarted }: Omit<ApplyReport, 'failures'>): void {
    const changed = [...added, ...removed, ...updated, ...restarted];
    if (changed.length === 0) return;
    for (const name of changed) this.#parts.changes.note(name);
    this.#parts.hub.emit('servers-changed', { added, removed, updated, restarted });
  }

  async #shutDown(): Promise<void> {
    const { slots, processes, hub, changes, memory } = this.#parts;
    slots.close();
    processes.end();
    const all = [...this.#supervised(), ...this.#leaving];
    const close = ({ supervisor }: SupervisedServer) => supervisor.close({ reason: 'manager-closed', calls: 'end' });
    try {
      await stopInOrder(all.map((server) => stoppable(server, () => close(server))));
    } finally {
      hub.clear();
      changes.close();
      await Promise.all([processes.close(), memory.flush()]);
    }
  }
}

function resolveSpecs(specs: Iterable<ServerSpec>): readonly ServerPolicy[] {
  const servers = Array.from(specs, resolveSpec);
  const names = new Set<string>();
  for (const { name } of servers) {
    if (names.has(name)) throw new TypeError(`Two servers are named "${name}"; names must be unique`);
    names.add(name);
  }
  return servers;
}

function beginEager(servers: readonly SupervisedServer[]): void {
  for (const { supervisor } of highestFirst(servers)) {
    if (supervisor.server.eager && supervisor.state.phase === 'idle') supervisor.begin();
  }
}

function stoppable({ supervisor: { server, state } }: SupervisedServer, stop: () => Promise<void>): Stoppable {
  return { priority: server.priority, isInUse: state.phase === 'ready' || state.phase === 'draining', stop };
}

function highestFirst(servers: readonly SupervisedServer[]): readonly SupervisedServer[] {
  return servers.toSorted((one, other) => other.supervisor.server.priority - one.supervisor.server.priority);
}

async function startOutcome(server: ManagedServer, options: WaitOptions | undefined): Promise<StartOutcome> {
  try {
    await server.start(options);
    return { server: server.name, status: 'started' };
  } catch (error) {
    options?.signal?.throwIfAborted();
    return { server: server.name, status: 'failed', error };
  }
}

function reportOf({ add, remove, update, restart, keep }: Reconciliation): Omit<ApplyReport, 'failures'> {
  const namesOf = (servers: readonly ServerPolicy[]): readonly string[] => servers.map(({ name }) => name);
  return { added: namesOf(add), removed: remove, updated: namesOf(update), restarted: namesOf(restart), kept: keep };
}

async function failuresOf(
  works: readonly { readonly name: string; readonly work: Promise<void> }[],
): Promise<ApplyReport['failures']> {
  const results = await Promise.allSettled(works.map(({ work }) => work));
  return results.flatMap((result, index) =>
    result.status === 'rejected' ? [{ server: works[index]?.name ?? '', error: result.reason }] : [],
  );
}
