import type { ManagedServer } from '@x/mcp-client-manager';
import type { Registry } from '@x/mcp-registry';

/** Keeps the attached sources of a registry in sync with the servers of a manager. */
export class AttachedServers {
  readonly #registry: Pick<Registry, 'attach'>;
  readonly #attached = new Map<ManagedServer, Disposable>();

  constructor(registry: Pick<Registry, 'attach'>) {
    this.#registry = registry;
  }

  /** Detaches all other servers. Their calls in progress continue. */
  keepOnly(servers: readonly ManagedServer[]): void {
    const kept = new Set(servers);
    for (const [server, attachment] of this.#attached) {
      if (kept.has(server)) continue;
      this.#attached.delete(server);
      attachment[Symbol.dispose]();
    }
  }

  add(servers: readonly ManagedServer[]): void {
    for (const server of servers) {
      if (!this.#attached.has(server)) this.#attached.set(server, this.#registry.attach(server));
    }
  }
}
