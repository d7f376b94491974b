import type { Disposable, ToolSource } from '@x/internal/contracts';
import type { Catalog } from './catalog.js';

/** Sources that come and go, such as the servers of a `ClientManager`. */
export interface SourceSet {
  /** The present sources. */
  servers(): readonly ToolSource[];
  readonly events: {
    /** Calls `listener` after a change of `servers()`. */
    on(name: 'servers-changed', listener: () => void): Disposable;
  };
}

/**
 * Keeps the sources of a catalog in step with `set` until disposal. A source that cannot be attached does not affect the
 * others.
 *
 * @throws The first failure, or the end of the catalog. Nothing is attached then.
 */
export function followSources(set: SourceSet, catalog: Catalog): Disposable {
  catalog.lifetime.throwIfOver();
  const attached = new Map<ToolSource, Disposable>();
  const keep = (sources: readonly ToolSource[]) => {
    if (catalog.lifetime.isOver) return;
    const kept = new Set(sources);
    for (const [source, attachment] of attached) {
      if (kept.has(source)) continue;
      attached.delete(source);
      attachment[Symbol.dispose](); // before another source of this name is attached
    }
    const failures = sources.flatMap((source) => {
      try {
        if (!attached.has(source)) attached.set(source, catalog.attach(source));
        return [];
      } catch (error) {
        return [error];
      }
    });
    if (failures.length > 0) throw failures[0];
  };
  try {
    keep(set.servers());
  } catch (error) {
    keep([]);
    throw error;
  }
  const following = set.events.on('servers-changed', () => keep(set.servers()));
  return {
    [Symbol.dispose]: () => {
      following[Symbol.dispose]();
      keep([]);
    },
  };
}
