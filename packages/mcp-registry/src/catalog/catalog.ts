import { RegistryError } from '../errors.js';
import { Emitter, type RegistryEvents } from '../events.js';
import type { ToolSource } from '../source.js';
import { quote, type RegistryDiagnostic } from './diagnostics.js';
import { Lifetime } from './lifetime.js';
import { buildSnapshot, diffSnapshots, EMPTY_SNAPSHOT, type NativeTool, type Snapshot } from './snapshot.js';
import { SourceListing } from './source-listing.js';

/** A source that is attached. Disposing it takes the source's tools out and leaves the source itself alone. */
export interface Attachment extends Disposable {
  readonly name: string;
  /**
   * Resolves when the first listing is in the registry. Never rejects: if that listing failed, `diagnostics()` says
   * why, and the source is listed again when it announces a change.
   */
  readonly ready: Promise<void>;
}

/** The sources and native tools, and the snapshot that is made from them. Only this class swaps snapshots. */
export class Catalog {
  readonly events = new Emitter<RegistryEvents>();
  /** Until `close()`; ends with the error that later calls fail with. */
  readonly lifetime = new Lifetime();
  readonly #sources = new Map<string, SourceListing>();
  readonly #natives = new Map<string, NativeTool>();
  #current: Snapshot = EMPTY_SNAPSHOT;

  get current(): Snapshot {
    return this.#current;
  }

  attach(source: ToolSource): Attachment {
    this.lifetime.throwIfOver();
    const { name } = source;
    if (typeof name !== 'string' || name === '') {
      throw new TypeError(`source.name must be a text that is not empty, got ${JSON.stringify(name)}`);
    }
    if (this.#sources.has(name)) {
      throw new RegistryError(
        'duplicate-source',
        `A source named ${quote(name)} is attached already; dispose its attachment first, or give this one another name`,
      );
    }
    const listing = new SourceListing(name, source, () => this.#update());
    this.#sources.set(name, listing);
    return { name, ready: listing.start(), [Symbol.dispose]: () => this.#detach(listing) };
  }

  register(tool: NativeTool): Disposable {
    this.lifetime.throwIfOver();
    const { name } = tool.definition;
    if (this.#natives.has(name)) {
      throw new RegistryError(
        'duplicate-tool',
        `A tool named ${name} is registered already; dispose it first, or choose another name`,
        { tool: name },
      );
    }
    this.#natives.set(name, tool);
    this.#update();
    return {
      [Symbol.dispose]: () => {
        if (this.#natives.get(name) !== tool || this.lifetime.isOver) return;
        this.#natives.delete(name);
        this.#update();
      },
    };
  }

  diagnostics(): readonly RegistryDiagnostic[] {
    const failures = Array.from(this.#sources.values(), ({ failure }) => failure ?? []).flat();
    return [...failures, ...this.#current.refused];
  }

  close(): void {
    if (this.lifetime.isOver) return;
    this.lifetime.end(new RegistryError('closed', 'The registry is closed'));
    for (const listing of this.#sources.values()) listing[Symbol.dispose]();
    this.events.clear();
  }

  #detach(listing: SourceListing): void {
    listing[Symbol.dispose]();
    if (this.#sources.get(listing.name) !== listing || this.lifetime.isOver) return;
    this.#sources.delete(listing.name);
    this.#update();
  }

  #update(): void {
    const before = this.#current;
    const sources = Array.from(this.#sources.values(), (listing) => listing.current);
    const natives = Array.from(this.#natives.values());
    this.#current = buildSnapshot({ sources, natives }, before);
    const change = diffSnapshots(before, this.#current);
    if (change !== undefined) this.events.emit('tools-changed', change);
  }
}
