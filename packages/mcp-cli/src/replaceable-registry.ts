import type { Registry } from '@x/mcp-registry';

/** A registry, and what keeps filling it with sources that come and go. */
export interface FilledRegistry {
  readonly registry: Registry;
  readonly others?: Disposable | undefined;
}

interface Held extends FilledRegistry {
  /** Work that is under way over it. */
  users: number;
}

/**
 * A registry that another one may take the place of, because roles and trust belong to a registry for good. What is under
 * way over the earlier one goes on there: closing it would end calls that have nothing to do with the change.
 */
export class ReplaceableRegistry {
  #held: Held;
  readonly #retired = new Set<Held>();

  constructor(filled: FilledRegistry) {
    this.#held = { ...filled, users: 0 };
  }

  get current(): Registry {
    return this.#held.registry;
  }

  /** Whether it counts, or work that began over it is still under way. */
  isUsed(registry: Registry): boolean {
    return [this.#held, ...this.#retired].some((held) => held.registry === registry);
  }

  /** Runs `work` over the registry as it is now, to its end. */
  async use<Result>(work: (registry: Registry) => Promise<Result>): Promise<Result> {
    const held = this.#held;
    held.users += 1;
    try {
      return await work(held.registry);
    } finally {
      held.users -= 1;
      if (held.users === 0 && this.#retired.delete(held)) await close(held);
    }
  }

  async replace(next: FilledRegistry): Promise<void> {
    const earlier = this.#held;
    this.#held = { ...next, users: 0 };
    if (earlier.users === 0) await close(earlier);
    else this.#retired.add(earlier);
  }

  async close(): Promise<void> {
    const all = [this.#held, ...this.#retired];
    this.#retired.clear();
    await Promise.all(all.map(close));
  }
}

async function close({ registry, others }: FilledRegistry): Promise<void> {
  others?.[Symbol.dispose]();
  await registry.close();
}
