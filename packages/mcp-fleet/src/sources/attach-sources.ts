import type { Disposable } from '@x/internal/contracts';
import type { FleetSource } from '../source.js';

/** What sources are attached to, as far as a fleet needs it. A registry of `@x/mcp-registry` fits as it stands. */
export interface SourceRegistry {
  /** Adds a source until the result is disposed. */
  attach(source: FleetSource): Disposable;
}

export interface ChangingSources {
  list(): readonly FleetSource[];
  /** The source of that name, if it is listed. */
  find(name: string): FleetSource | undefined;
  onChange(listener: (change: SourcesChange) => void): Disposable;
  onProblem(message: string, error: unknown): void;
}

/** Names of sources. What is replaced is among both. */
export interface SourcesChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

interface Attached {
  readonly source: FleetSource;
  /** `undefined`: the registry did not take it. */
  readonly attachment: Disposable | undefined;
}

/** Keeps in a registry what is listed, until disposed. */
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
      // Such as a name that the host app uses for something else.
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
    // What goes makes room for what comes.
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
