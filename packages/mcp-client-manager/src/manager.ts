import type { EventSource, ToolCallResult } from '@x/internal/contracts';
import { Emitter } from '@x/internal/events';
import { checkOption, signalOptions } from '@x/internal/options';
import { createMemoryStore } from './catalog-cache/memory-store.js';
import { ChangeFeed, type ChangesOptions, type ServerChange } from './changes.js';
import { ManagerError, unknownServer } from './errors.js';
import { type ManagerEvents, managerEvents } from './events.js';
import { type ClientManagerOptions, type ManagerPolicy, optionNames, resolveOptions } from './options.js';
import { ProcessOwner } from './process/process-owner.js';
import type { ServerPolicy } from './resolve-spec.js';
import type { CallOptions } from './routing/call-options.js';
import { type ManagedServer, type StopOptions, stopOptions, type WaitOptions } from './servers/managed-server.js';
import { type ApplyOptions, type ApplyReport, highestFirst, resolveSpecs, ServerSet } from './servers/server-set.js';
import { type Stoppable, stopInOrder } from './servers/stop-order.js';
import type { SharedParts, SupervisedServer } from './servers/supervised-server.js';
import type { HeadersFor } from './session/http/http-transports.js';
import type { ServerSpecs } from './spec.js';
import { MachineSleep } from './supervisor/health/machine-sleep.js';
import type { ServerStatus } from './supervisor/state/server-status.js';
import { StartSlots } from './supervisor/state/start-slots.js';

/** Starts, supervises, stops and calls MCP servers by name. */
export interface ClientManager extends AsyncDisposable {
  readonly events: EventSource<ManagerEvents>;
  /** All servers, in the order of the config. */
  servers(): readonly ManagedServer[];
  /** @throws {ManagerError} `unknown-server`, with the known names. */
  server(name: string): ManagedServer;
  /** One row per server, in the order of the config. */
  status(): readonly ServerStatus[];
  /**
   * Yields the status of every server, then each server whose status changes. A slow reader gets only the latest
   * status. Ends when the manager closes; rejects with the signal's reason when that aborts.
   */
  changes(options?: ChangesOptions): AsyncIterable<ServerChange>;
  /**
   * Starts every server with `autoStart`, highest priority first, a few at a time. Waits until each is ready or has
   * failed.
   *
   * @returns One outcome per started server. A failure does not affect the others.
   */
  start(options?: WaitOptions): Promise<readonly StartOutcome[]>;
  /**
   * Stops every server, lowest priority first, after its calls in progress. They can be started again.
   *
   * @throws {AggregateError} With a `stop-failed` for each server that did not stop.
   */
  stop(options?: StopOptions): Promise<void>;
  /**
   * Applies another configuration. Restarts only servers whose launch changed, after the calls in progress; handles of
   * the remaining names stay valid. Resolves when removed and replaced processes have ended; does not wait for starts.
   * Of concurrent calls the last one counts; none waits for the processes of another. A server that comes back under
   * its name starts when the earlier one has ended.
   *
   * @throws {TypeError} Names the server and the field that is out of bounds. Nothing has changed then.
   * @throws {ManagerError} `closed`; `unknown-server` for a name to restart, and nothing has changed then.
   */
  apply(specs: ServerSpecs, options?: ApplyOptions): Promise<ApplyReport>;
  /** Calls one tool of one server. See `ManagedServer.callTool`. */
  callTool(
    server: string,
    tool: string,
    args?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<ToolCallResult>;
  /**
   * Adds headers to all HTTP requests to an origin until disposed, beside those of the specs. `headersFor` is called
   * for each request.
   */
  sendHeaders(headersFor: HeadersFor): Disposable;
  /**
   * Ends every server for good, lowest priority first, together with its calls; call `stop` first to let those finish.
   * Resolves when all processes have ended. A second call joins the first.
   */
  close(): Promise<void>;
}

/** Outcome of one start; `error` is the rejection of `ManagedServer.start`. */
export type StartOutcome =
  | { readonly server: string; readonly status: 'started' }
  | { readonly server: string; readonly status: 'failed'; readonly error: ManagerError };

/**
 * Creates a manager. Servers with `eager` start right after this call, all others on demand.
 *
 * @throws {TypeError} Names the server and the field when a spec or an option is out of bounds.
 */
export function createClientManager(specs: ServerSpecs, options?: ClientManagerOptions): ClientManager {
  refuseOptions(specs);
  return new SupervisedServers(resolveSpecs(specs), resolveOptions(options));
}

function refuseOptions(specs: object): void {
  const option = optionNames.find((name) => Object.hasOwn(Object(specs), name));
  if (option === undefined) return;
  throw new TypeError(`${option} belongs into the second argument: createClientManager({ servers }, { ${option} })`);
}

class SupervisedServers implements ClientManager {
  readonly #parts: SharedParts;
  readonly #servers: ServerSet;
  readonly #observing: Disposable | undefined;
  #closing: Promise<void> | undefined;

  constructor(specs: readonly ServerPolicy[], policy: ManagerPolicy) {
    this.#parts = {
      policy,
      processes: new ProcessOwner(policy),
      slots: new StartSlots({ concurrency: policy.startConcurrency }),
      sleep: new MachineSleep(),
      memory: createMemoryStore(policy.stateDirectory, policy.redact),
      hub: new Emitter<ManagerEvents>(managerEvents),
      changes: new ChangeFeed(),
    };
    this.#servers = new ServerSet(specs, this.#parts);
    this.#observing = policy.telemetry?.observeServers(() => this.status());
  }

  get events(): EventSource<ManagerEvents> {
    return this.#parts.hub;
  }

  servers(): readonly ManagedServer[] {
    return this.#servers.all().map(({ handle }) => handle);
  }

  server(name: string): ManagedServer {
    const server = this.#servers.get(name);
    if (server) return server.handle;
    if (typeof name !== 'string') throw new TypeError(`The name of a server must be a text, got ${typeof name}`);
    throw unknownServer(name, this.#servers.names());
  }

  status(): readonly ServerStatus[] {
    return this.servers().map(({ status }) => status);
  }

  changes(options?: ChangesOptions): AsyncIterable<ServerChange> {
    const statusOf = (name: string): ServerStatus | undefined => this.#servers.get(name)?.handle.status;
    return this.#parts.changes.read(() => this.#servers.names(), statusOf, signalOptions.read(options));
  }

  async start(given?: WaitOptions): Promise<readonly StartOutcome[]> {
    refuseName('start', given);
    const options = signalOptions.read(given);
    const startable = this.#servers.all().filter(({ supervisor: { server } }) => server.autoStart && !server.disabled);
    const outcomes = new Map<SupervisedServer, Promise<StartOutcome>>();
    for (const server of highestFirst(startable)) outcomes.set(server, startOutcome(server.handle, options));
    return Promise.all(startable.map((server) => outcomes.get(server) as Promise<StartOutcome>));
  }

  async stop(given?: StopOptions): Promise<void> {
    refuseName('stop', given);
    const options = stopOptions.read(given);
    const start = this.#parts.slots.block();
    try {
      await stopInOrder(this.#servers.all().map((server) => stoppable(server, () => server.handle.stop(options))));
    } finally {
      start();
    }
  }

  apply(specs: ServerSpecs, options?: ApplyOptions): Promise<ApplyReport> {
    return this.#servers.apply(specs, options);
  }

  callTool(
    server: string,
    tool: string,
    args?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<ToolCallResult> {
    try {
      if (this.#servers.get(server) === undefined && this.#servers.get(tool) !== undefined) {
        throw new TypeError(`"${tool}" is a server: callTool(server, tool), as callTool("${tool}", "${server}")`);
      }
      return this.server(server).callTool(tool, args, options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  sendHeaders(headersFor: HeadersFor): Disposable {
    checkOption('headersFor', { kind: 'function' }, headersFor);
    const { addedHeaders } = this.#parts.policy;
    const added: HeadersFor = (origin) => headersFor(origin);
    addedHeaders.add(added);
    return { [Symbol.dispose]: () => void addedHeaders.delete(added) };
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #shutDown(): Promise<void> {
    const { slots, processes, hub, changes, memory } = this.#parts;
    slots.close();
    processes.end();
    const all = this.#servers.close();
    const how = { reason: 'manager-closed', calls: 'end' } as const;
    try {
      await stopInOrder(all.map((server) => stoppable(server, () => server.close(how))));
    } finally {
      hub.clear();
      this.#observing?.[Symbol.dispose]();
      changes.close();
      await Promise.all([processes.close(), memory.flush()]);
    }
  }
}

function refuseName(method: 'start' | 'stop', options: unknown): void {
  if (typeof options !== 'string') return;
  throw new TypeError(`${method}() is for all servers; for one, call manager.server("${options}").${method}()`);
}

function stoppable({ supervisor: { server, state } }: SupervisedServer, stop: () => Promise<void>): Stoppable {
  return { priority: server.priority, isInUse: state.phase === 'ready' || state.phase === 'draining', stop };
}

async function startOutcome(server: ManagedServer, options: WaitOptions | undefined): Promise<StartOutcome> {
  try {
    await server.start(options);
    return { server: server.name, status: 'started' };
  } catch (error) {
    options?.signal?.throwIfAborted();
    if (!(error instanceof ManagerError)) throw error; // a bug in the manager
    return { server: server.name, status: 'failed', error };
  }
}
