import type { ManagedServer } from '@x/mcp-client-manager';
import type { Config, ServerPlacement } from '@x/mcp-config-schema';
import type { Fleet } from '@x/mcp-fleet';

/** Several nodes offer it as one, so the registry gets it from the fleet. */
export function isShared(placement: ServerPlacement): boolean {
  return placement === 'singleton' || placement === 'replicated';
}

export function placementsOf({ servers }: Pick<Config, 'servers'>): (server: string) => ServerPlacement {
  const placements = new Map(servers.map(({ name, placement }) => [name, placement]));
  return (server) => placements.get(server) ?? 'pinned';
}

/** Offers the servers of this node to a fleet, and follows the config. */
export class SharedServers {
  readonly fleet: Fleet;
  readonly #offered = new Map<string, { readonly server: ManagedServer; readonly placement: ServerPlacement }>();

  constructor(fleet: Fleet) {
    this.fleet = fleet;
  }

  /** True if this node runs the singleton. */
  holds(server: string): boolean {
    const { node, singletons } = this.fleet.status();
    return singletons.some((singleton) => singleton.server === server && singleton.holder === node);
  }

  /** Resolves when the fleet has exactly these servers with these placements. */
  async follow(servers: readonly ManagedServer[], placementOf: (server: string) => ServerPlacement): Promise<void> {
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
