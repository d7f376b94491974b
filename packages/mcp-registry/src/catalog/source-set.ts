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

/** Keeps the sources of a catalog in step with `set` until disposal. */
export function followSources(set: SourceSet, catalog: Catalog): Disposable {
  const attached = new Map<ToolSource, Disposable>();
  const keep = (sources: readonly ToolSource[]) => {
    if (catalog.lifetime.isOver) return;
    const kept = new Set(sources);
    for (const [source, attachment] of attached) {
      if (kept.has(source)) continue;
      attached.delete(source);
      attachment[Symbol.dispose](); // before another source of this name is attached
    }
    for (const source of sources) if (!attached.has(source)) attached.set(source, catalog.attach(source));
  };
  keep(set.servers());
  const following = set.events.on('servers-changed', () => keep(set.servers()));
  return {
    [Symbol.dispose]: () => {
      following[Symbol.dispose]();
      keep([]);
    },
  };
}
