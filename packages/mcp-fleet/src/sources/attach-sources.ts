import type { Disposable } from '@x/internal/contracts';
import type { FleetSource } from '../source.js';

/** Target of attached sources. A registry of `@x/mcp-registry` fits as is. */
export interface SourceRegistry {
  /** Adds a source until the returned object is disposed. */
  attach(source: FleetSource): Disposable;
}

interface ChangingSources {
  list(): readonly FleetSource[];
  find(name: string): FleetSource | undefined;
  onChange(listener: (change: SourcesChange) => void): Disposable;
  onProblem(message: string, error: unknown): void;
}

/** Names of sources. A replaced source is in both lists. */
export interface SourcesChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

interface Attached {
  readonly source: FleetSource;
  readonly attachment: Disposable | undefined;
}

/** Mirrors the listed sources in a registry until disposed. */
export function attachSources(
  registry: SourceRegistry,
  { list, find, onChange, onProblem }: ChangingSources,
): Disposable {
  const attached = new Map<string, Attached>();

  function follow(name: string): void {
    const source = find(name);
    const known = attached.get(name);
    if (source === known?.source) return;
    if (known !== undefined) detach(name, known);
    if (source !== undefined) attached.set(name, { source, attachment: attach(source) });
  }

  function attach(source: FleetSource): Disposable | undefined {
    try {
      return registry.attach(source);
    } catch (error) {
      // For example, the host app uses the name for another source.
      onProblem(`The source ${JSON.stringify(source.name)} could not be attached`, error);
      return undefined;
    }
  }

  function detach(name: string, { attachment }: Attached): void {
    attached.delete(name);
    try {
      attachment?.[Symbol.dispose]();
    } catch (error) {
      onProblem(`The source ${JSON.stringify(name)} could not be detached`, error);
    }
  }

  for (const { name } of list()) follow(name);
  const subscription = onChange(({ added, removed }) => {
    // Removals first: they free names.
    for (const name of removed) follow(name);
    for (const name of added) follow(name);
  });
  return {
    [Symbol.dispose]() {
      subscription[Symbol.dispose]();
      for (const [name, entry] of Array.from(attached)) detach(name, entry);
    },
  };
}
