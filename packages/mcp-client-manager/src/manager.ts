import { randomUUID } from 'node:crypto';
import { ManagerError } from './errors.js';
import { EventHub, type EventSource } from './events.js';
import { type ManagedServer, managedServer, type ServerStatus, type WaitOptions } from './managed-server.js';
import { type ClientManagerOptions, type ManagerPolicy, resolveOptions, resolveSpec } from './options.js';
import type { CallOptions } from './routing/call-tool.js';
import type { ToolCallResult } from './session/session.js';
import type { ServerSpec } from './spec.js';
import { Supervisor } from './supervisor/supervisor.js';

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
   * Starts every server whose spec has `autoStart`, all at once, and waits until each is ready or has failed.
   * @returns One outcome per started server; a failed one never keeps the others from starting.
   */
  start(options?: WaitOptions): Promise<readonly StartOutcome[]>;
  /** Calls one tool of one server under the tool's own name. See `ManagedServer.callTool`. */
  callTool(
    server: string,
    tool: string,
    args?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<ToolCallResult>;
  /** Stops every server and waits until their processes are gone. A second call joins the first. */
  close(): Promise<void>;
}

export type StartOutcome =
  | { readonly server: string; readonly status: 'started' }
  | { readonly server: string; readonly status: 'failed'; readonly error: unknown };

/**
 * Makes a manager. Nothing is spawned yet.
 *
 * @throws {TypeError} Names the server and the field when a spec or an option is out of bounds.
 */
export function createClientManager({ servers }: ServerSpecs, options?: ClientManagerOptions): ClientManager {
  return new SupervisedServers(servers, resolveOptions(options));
}

class SupervisedServers implements ClientManager {
  readonly #hub = new EventHub();
  readonly #servers = new Map<string, ManagedServer>();
  readonly #supervisors: Supervisor[] = [];
  readonly #owner = `${process.pid}-${randomUUID()}`;
  #closing: Promise<void> | undefined;

  constructor(specs: Iterable<ServerSpec>, policy: ManagerPolicy) {
    for (const spec of specs) this.#add(spec, policy);
  }

  get events(): EventSource {
    return this.#hub;
  }

  servers(): readonly ManagedServer[] {
    return [...this.#servers.values()];
  }

  server(name: string): ManagedServer {
    const server = this.#servers.get(name);
    if (server) return server;
    const known = [...this.#servers.keys()].map((key) => `"${key}"`).join(', ') || 'none';
    throw new ManagerError('unknown-server', `No server is named "${name}". Configured: ${known}.`, { server: name });
  }

  status(): readonly ServerStatus[] {
    return this.servers().map((server) => server.status);
  }

  async start(options?: WaitOptions): Promise<readonly StartOutcome[]> {
    const wanted = this.servers().filter((server) => server.status.autoStart);
    return Promise.all(wanted.map((server) => startOutcome(server, options)));
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

  async #shutDown(): Promise<void> {
    const results = await Promise.allSettled(this.#supervisors.map((supervisor) => supervisor.close()));
    this.#hub.clear();
    const causes = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    if (causes.length > 0)
      throw new AggregateError(causes, `${causes.length} of ${results.length} servers did not stop`);
  }

  #add(spec: ServerSpec, policy: ManagerPolicy): void {
    const server = resolveSpec(spec);
    const { name } = server;
    if (this.#servers.has(name)) throw new TypeError(`Two servers are named "${name}"; names must be unique`);
    const supervisor = new Supervisor(server, {
      policy,
      owner: this.#owner,
      onState: (previous, state) => this.#hub.emit('server-state', { server: name, previous, state }),
      onToolsChanged: (tools) => this.#hub.emit('tools-changed', { server: name, tools }),
      onStderrLine: (line) => this.#hub.emit('server-stderr', { server: name, line }),
      onJunk: (text) => this.#hub.emit('server-junk', { server: name, text }),
    });
    this.#supervisors.push(supervisor);
    const onToolsChanged = (listener: () => void): Disposable => this.#onChangeOf(name, listener);
    const { callTimeoutMs } = policy;
    this.#servers.set(name, managedServer({ server, supervisor, callTimeoutMs, onToolsChanged }));
  }

  #onChangeOf(name: string, listener: () => void): Disposable {
    const call = ({ server }: { server: string }): void => {
      if (server === name) listener();
    };
    const subscriptions = [this.#hub.on('tools-changed', call), this.#hub.on('server-state', call)];
    return {
      [Symbol.dispose]: () => {
        for (const subscription of subscriptions) subscription[Symbol.dispose]();
      },
    };
  }
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
