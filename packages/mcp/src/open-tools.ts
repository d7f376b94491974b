import { onAbort, sequence, unlessAborted, withResolvers } from '@x/internal/async';
import type { Disposable } from '@x/internal/contracts';
import { Emitter } from '@x/internal/events';
import { type ApplyReport, type ClientManager, createClientManager, ManagerError } from '@x/mcp-client-manager';
import {
  type Attachment,
  createRegistry,
  type JsonSchema,
  type NativeToolDefinition,
  type NativeToolHandler,
  type Registry,
  type RoleApproval,
  type ToolSource,
} from '@x/mcp-registry';
import type { ArgumentSchema, ArgumentsOf } from '@x/mcp-registry/sources';
import { type AppliedConfig, ConfigSource } from './config-source.js';
import { asOptions, closeOptions, type OpenToolsOptions, openOptions, toolsChanges } from './options.js';
import { type ToolSet, ViewedTools } from './tool-set.js';
import type { AsOptions, CloseOptions, Tools, ToolsChanges, ToolsEvents } from './tools.js';

/**
 * Opens the tools of MCP servers: reads the configuration, starts the servers that may start, and waits until each is
 * ready or has failed. A failed server is no error: `manager.status()` has its reason.
 *
 * @throws {ConfigError} The files are missing or have errors; it has all of them, each with its line. Or a search found
 *   the files, and no server in them has the user's consent.
 * @throws {TypeError} Names the option or the server that is invalid.
 * @throws The reason of `options.signal` when it aborts, or the error of `beforeStart`. Nothing runs then.
 * @throws {ManagerError} `closed`, if the tools were closed meanwhile.
 */
export async function openTools(options: OpenToolsOptions = {}): Promise<Tools> {
  const given = openOptions.read(options);
  // A lost setting must not start the servers of the current folder.
  if (Object.hasOwn(options, 'mcpServers') && given.mcpServers === undefined) {
    throw new TypeError('mcpServers is undefined; leave it out to read the files of the project');
  }
  const { manager: managerOptions, registry: registryOptions, signal } = given;
  signal?.throwIfAborted();
  const source = new ConfigSource(given);
  const config = await source.read({});
  signal?.throwIfAborted();
  (await source.begin(config)).done();
  const { roles, knownServers } = config;
  const registry = createRegistry({
    redact: source.redactData,
    approval: askUser,
    ...definedIn(registryOptions),
    roles,
    knownServers,
  });
  const manager = createClientManager(config, { ...source.managerOptions, ...definedIn(managerOptions) });
  const tools = new OpenedTools({ manager, registry, source, config });
  const ignore = signal && onAbort(signal, () => void tools.close().catch(() => undefined));
  try {
    await unlessAborted(given.beforeStart?.(tools), signal);
    const started = await manager.start();
    signal?.throwIfAborted();
    if (tools.isClosed) throw new ManagerError('closed', 'The tools were closed before their servers had started');
    source.requireConsent(started.map(({ server }) => server));
  } catch (error) {
    await tools.close();
    signal?.throwIfAborted();
    throw error;
  } finally {
    ignore?.();
  }
  if (given.watch) void tools.watch();
  return tools;
}

const askUser: RoleApproval = async (rules) => {
  const { approveByRole } = await import('@x/mcp-registry/interceptors');
  return approveByRole({ ask: 'elicitation' })(rules);
};

/** An option that is `undefined` is an absent one. */
function definedIn<Options extends object>(options: Options): Partial<Options> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<Options>;
}

interface OpenedParts {
  readonly manager: ClientManager;
  readonly registry: Registry;
  readonly source: ConfigSource;
  readonly config: AppliedConfig;
}

class OpenedTools extends ViewedTools implements Tools {
  readonly manager: ClientManager;
  readonly registry: Registry;
  readonly #source: ConfigSource;
  readonly #emitter = new Emitter<ToolsEvents>({ change: true, 'config-failed': true });
  readonly #closing = new AbortController();
  readonly #inSequence = sequence();
  #config: AppliedConfig;

  constructor({ manager, registry, source, config }: OpenedParts) {
    super(registry);
    this.manager = manager;
    this.registry = registry;
    this.#source = source;
    this.#config = config;
    registry.follow(manager);
    registry.events.on('tools-changed', (change) => this.#emitter.emit('change', change));
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  as(role: string, options?: AsOptions): ToolSet {
    const { principal } = asOptions.read(options);
    return new ViewedTools(this.registry.view({ role, ...(principal !== undefined && { principal }) }));
  }

  add(source: ToolSource): Attachment;
  add<Schema extends ArgumentSchema = JsonSchema>(
    tool: NativeToolDefinition<Schema>,
    handler: NativeToolHandler<ArgumentsOf<Schema>>,
  ): Disposable;
  add(added: ToolSource | NativeToolDefinition, handler?: NativeToolHandler): Disposable {
    return handler === undefined
      ? this.registry.attach(added as ToolSource)
      : this.registry.register(added as NativeToolDefinition<JsonSchema>, handler);
  }

  on<Name extends keyof ToolsEvents>(name: Name, listener: (event: ToolsEvents[Name]) => void): Disposable {
    return this.#emitter.on(name, listener);
  }

  async reload(changes: ToolsChanges = {}): Promise<ApplyReport> {
    const read = () => this.#source.read(toolsChanges.read(changes));
    const { ended } = await this.#inSequence(async () => this.#switchTo(await read()));
    return ended;
  }

  /** Follows the files until the close. Never rejects. */
  async watch(): Promise<void> {
    const fail = (error: unknown): void => {
      if (!this.#closing.signal.aborted) this.#emitter.emit('config-failed', { error: error as Error });
    };
    try {
      for await (const next of this.#source.changes(this.#closing.signal)) {
        if ('error' in next) fail(next.error);
        else await this.#inSequence(() => this.#switchTo(next)).catch(fail);
      }
    } catch (error) {
      fail(error);
    }
  }

  async close(options?: CloseOptions): Promise<void> {
    const { drainMs } = closeOptions.read(options);
    this.#closing.abort();
    try {
      await this.registry.close({ drainMs });
    } finally {
      await this.manager.close();
      await this.#inSequence(() => undefined); // the last reload
      this.#emitter.clear();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @returns Once `config` is in effect. `ended` resolves when changed and removed servers have ended. */
  async #switchTo(config: AppliedConfig): Promise<{ readonly ended: Promise<ApplyReport> }> {
    const transition = await this.#source.begin(config);
    const { promise: switched, resolve } = withResolvers<Omit<ApplyReport, 'failures'>>();
    try {
      this.registry.update(rulesOf(config)); // before a changed server lists its tools
      const restart = transition.withdrawn(); // which is refused
      const applied = this.manager.apply(config, { restart, onSwitched: resolve });
      const changes = await Promise.race([switched, applied]);
      this.#config = config;
      transition.switched();
      const ended = Promise.all([applied, this.#startNew(changes)]).finally(transition.done);
      return { ended: ended.then(([report]) => report) };
    } catch (error) {
      this.registry.update(rulesOf(this.#config));
      transition.undo();
      throw error;
    }
  }

  /** A server that has never listed its tools has none that a call could wake it with. */
  async #startNew({ added, updated, restarted }: Omit<ApplyReport, 'failures'>): Promise<void> {
    const changed = new Set([...added, ...updated, ...restarted, ...this.#source.agreed]);
    const servers = this.manager.servers().filter(({ name }) => changed.has(name));
    const toStart = servers.filter(({ status, hasListed }) => status.autoStart && !status.disabled && !hasListed);
    await Promise.allSettled(toStart.map((server) => server.start()));
  }
}

function rulesOf({ roles, knownServers }: AppliedConfig): Pick<AppliedConfig, 'roles' | 'knownServers'> {
  return { roles, knownServers };
}
