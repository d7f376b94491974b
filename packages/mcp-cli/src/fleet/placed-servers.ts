import { sequence } from '@x/internal/async';
import { Emitter } from '@x/internal/events';
import type { ClientManager, ManagedServer } from '@x/mcp-client-manager';
import type { Config, ServerPlacement } from '@x/mcp-config-schema';
import type { Fleet } from '@x/mcp-fleet';
import type { Registry } from '@x/mcp-registry';
import type { SourceSet } from '@x/mcp-registry/sources';

interface PlacedServersOptions {
  readonly manager: ClientManager;
  readonly registry: Registry;
  readonly config: () => Pick<Config, 'servers'>;
}

/** Puts each server of a manager where the config places it: into the registry, or into a fleet. */
export class PlacedServers implements Disposable {
  readonly #options: PlacedServersOptions;
  readonly #shown = new ShownServers();
  /** Each change depends on the offered servers of the previous one. */
  readonly #inSequence = sequence();
  #fleet: SharedServers | 'expected' | undefined;
  #others: Disposable | undefined;
  #capabilities: Readonly<Record<string, unknown>> = {};

  constructor(options: PlacedServersOptions) {
    const { manager, registry } = options;
    this.#options = options;
    this.#shown.show(this.#own());
    registry.follow(this.#shown);
    // Before changed and removed servers have ended. A new one is in no fleet yet.
    manager.events.on('servers-changed', ({ added }) => this.#shown.keepOnly(this.#own(), added));
  }

  /** Capabilities of clients of gateways on other nodes: none without a fleet. */
  get capabilities(): Readonly<Record<string, unknown>> {
    return this.#capabilities;
  }

  /** `expected`: there is no fleet yet, and singletons no longer belong to this node. */
  setFleet(fleet: Fleet | 'expected' | undefined): Promise<void> {
    return this.#inSequence(() => this.#setFleet(fleet));
  }

  async #setFleet(fleet: Fleet | 'expected' | undefined): Promise<void> {
    this.#capabilities = fleet === undefined ? {} : (await import('@x/mcp-gateway')).gatewayCapabilities;
    this.#others?.[Symbol.dispose]();
    this.#fleet = fleet === undefined || fleet === 'expected' ? fleet : new SharedServers(fleet);
    await this.#update();
    const shared = this.#fleet instanceof SharedServers ? this.#fleet.fleet : undefined;
    this.#others = shared?.attachTo(this.#options.registry, { own: false });
  }

  /** Follows the config. A server leaves the registry before the fleet gets it, and the other way round. */
  update(): Promise<void> {
    return this.#inSequence(() => this.#update());
  }

  async #update(): Promise<void> {
    this.#shown.keepOnly(this.#own());
    if (this.#fleet instanceof SharedServers) {
      const { manager, config } = this.#options;
      await this.#fleet.update(manager.servers(), placementsOf(config()));
    }
    this.#shown.show(this.#own());
  }

  /** False for a singleton that this node does not run. */
  runsHere(server: string): boolean {
    if (this.#fleet === undefined || placementsOf(this.#options.config())(server) !== 'singleton') return true;
    return this.#fleet !== 'expected' && this.#fleet.runsSingleton(server);
  }

  [Symbol.dispose](): void {
    this.#others?.[Symbol.dispose]();
  }

  #own(): readonly ManagedServer[] {
    const placementOf = placementsOf(this.#options.config());
    return this.#options.manager.servers().filter(({ name }) => {
      const placement = placementOf(name);
      return this.#fleet === 'expected' ? placement !== 'singleton' : this.#fleet === undefined || !isShared(placement);
    });
  }
}

/** Several nodes offer it as one, so the registry gets it from the fleet. */
function isShared(placement: ServerPlacement): boolean {
  return placement === 'singleton' || placement === 'replicated';
}

function placementsOf({ servers }: Pick<Config, 'servers'>): (server: string) => ServerPlacement {
  const placements = new Map(servers.map(({ name, placement }) => [name, placement]));
  return (server) => placements.get(server) ?? 'pinned';
}

/** Offers the servers of this node to a fleet, and follows the config. */
class SharedServers {
  readonly fleet: Fleet;
  readonly #offered = new Map<string, { readonly server: ManagedServer; readonly placement: ServerPlacement }>();

  constructor(fleet: Fleet) {
    this.fleet = fleet;
  }

  /** True if this node runs the singleton. */
  runsSingleton(server: string): boolean {
    const { node, singletons } = this.fleet.status();
    return singletons.some((singleton) => singleton.server === server && singleton.holder === node);
  }

  /** Resolves when the fleet has exactly these servers with these placements. */
  async update(servers: readonly ManagedServer[], placementOf: (server: string) => ServerPlacement): Promise<void> {
    const placed = servers.map((server) => ({ server, placement: placementOf(server.name) }));
    // Other nodes may run a singleton that is disabled here.
    const offered = placed.filter(({ server, placement }) => placement !== 'singleton' || !server.status.disabled);
    const wanted = new Map(offered.map((entry) => [entry.server.name, entry]));
    const removals: Promise<void>[] = [];
    for (const [name, { server, placement }] of this.#offered) {
      const next = wanted.get(name);
      if (next?.server === server && next.placement === placement) continue;
      this.#offered.delete(name);
      removals.push(this.fleet.remove(name));
    }
    // A singleton stops before another node may run it. The fleet reports a failure to stop.
    await Promise.allSettled(removals);
    for (const [name, { server, placement }] of wanted) {
      if (this.#offered.has(name)) continue;
      this.fleet.add({ source: server, placement });
      this.#offered.set(name, { server, placement });
    }
  }
}

/** The servers that a registry follows. */
class ShownServers implements SourceSet {
  readonly events = new Emitter<{ readonly 'servers-changed': undefined }>();
  #servers: readonly ManagedServer[] = [];

  servers(): readonly ManagedServer[] {
    return this.#servers;
  }

  show(servers: readonly ManagedServer[]): void {
    this.#servers = servers;
    this.events.emit('servers-changed', undefined);
  }

  /** Hides all others except new ones. Their calls in progress continue. */
  keepOnly(servers: readonly ManagedServer[], added: readonly string[] = []): void {
    this.show(servers.filter((server) => this.#servers.includes(server) || added.includes(server.name)));
  }
}
