import type { ClientManager, ManagedServer } from '@x/mcp-client-manager';
import type { Config } from '@x/mcp-config-schema';
import type { Fleet } from '@x/mcp-fleet';
import type { Registry } from '@x/mcp-registry';
import { AttachedServers } from '../attached-servers.js';
import { isShared, placementsOf, SharedServers } from './shared-servers.js';

export interface PlacedServersOptions {
  readonly manager: ClientManager;
  readonly registry: Registry;
  readonly config: () => Pick<Config, 'servers'>;
}

/** Puts each server of a manager where the config places it: into the registry, or into a fleet. */
export class PlacedServers implements Disposable {
  readonly #options: PlacedServersOptions;
  readonly #attached: AttachedServers;
  #fleet: SharedServers | 'expected' | undefined;
  #others: Disposable | undefined;
  #capabilities: Readonly<Record<string, unknown>> = {};

  constructor(options: PlacedServersOptions) {
    const { manager, registry } = options;
    this.#options = options;
    this.#attached = new AttachedServers(registry);
    this.#attached.add(this.#own());
    manager.events.on('servers-changed', () => this.#attached.keepOnly(this.#own()));
  }

  /** Capabilities of clients of gateways on other nodes: none without a fleet. */
  get capabilities(): Readonly<Record<string, unknown>> {
    return this.#capabilities;
  }

  /** `expected`: there is no fleet yet, and singletons no longer belong to this node. */
  async setFleet(fleet: Fleet | 'expected' | undefined): Promise<void> {
    this.#capabilities = fleet === undefined ? {} : (await import('@x/mcp-gateway')).gatewayCapabilities;
    this.#others?.[Symbol.dispose]();
    this.#fleet = fleet === undefined || fleet === 'expected' ? fleet : new SharedServers(fleet);
    await this.follow();
    const shared = this.#fleet instanceof SharedServers ? this.#fleet.fleet : undefined;
    this.#others = shared?.attachTo(this.#options.registry, { own: false });
  }

  /** Follows the config. A server leaves the registry before the fleet gets it, and the other way round. */
  async follow(): Promise<void> {
    this.#attached.keepOnly(this.#own());
    if (this.#fleet instanceof SharedServers) {
      const { manager, config } = this.#options;
      await this.#fleet.follow(manager.servers(), placementsOf(config()));
    }
    this.#attached.add(this.#own());
  }

  /** False for a singleton that this node does not run. */
  runsHere(server: string): boolean {
    if (this.#fleet === undefined || placementsOf(this.#options.config())(server) !== 'singleton') return true;
    return this.#fleet !== 'expected' && this.#fleet.holds(server);
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
