import type { Disposable, ToolSource } from '@x/internal/contracts';
import { Emitter } from '@x/internal/events';
import { BUILT_IN_TOOLS } from '@x/internal/names';
import { refusePromise } from '@x/internal/options';
import { quote } from '@x/internal/text';
import { RegistryError } from '../errors.js';
import { type RegistryEvents, registryEvents } from '../events.js';
import { buildSnapshot } from './build-snapshot.js';
import type { RegistryDiagnostic } from './diagnostics.js';
import { Lifetime } from './lifetime.js';
import { ServerNames } from './server-names.js';
import {
  diffSnapshots,
  EMPTY_SNAPSHOT,
  type NativeTool,
  type Snapshot,
  type SourceTools,
  type ToolEntry,
} from './snapshot.js';
import { SourceListing } from './source-listing.js';

/** Decides which listed tools exist. The others get no name, entry or index. */
export interface ToolGate {
  /** The admitted part of all listings. A listing that is admitted whole stays the same object. */
  admit(listings: readonly SourceTools[]): readonly SourceTools[];
  swapped(): void;
  /** Called before each read or call of a tool. */
  isOpen(entry: ToolEntry): boolean;
  /** Resolves when no decision is pending. Never rejects. */
  settled(): Promise<void>;
}

const OPEN_GATE: ToolGate = {
  admit: (listings) => listings,
  swapped: () => undefined,
  isOpen: () => true,
  settled: () => Promise.resolve(),
};

/** An attached source. Disposing removes its tools without stopping it. */
export interface Attachment extends Disposable {
  readonly name: string;
  /**
   * Resolves when the trusted tools of the first listing are in the registry. Never rejects: failures are in
   * `diagnostics()`, and the next announced change lists again.
   */
  readonly ready: Promise<void>;
}

/** Only this class swaps snapshots. */
export class Catalog {
  readonly events = new Emitter<RegistryEvents>(registryEvents);
  readonly lifetime = new Lifetime();
  readonly names = new ServerNames();
  readonly #sources = new Map<string, SourceListing>();
  readonly #natives = new Map<string, NativeTool>();
  readonly #gate: ToolGate;
  #current: Snapshot = EMPTY_SNAPSHOT;
  #known: Snapshot = EMPTY_SNAPSHOT;

  /** @param gate - Filters listings before any other use. */
  constructor(gate: ToolGate = OPEN_GATE) {
    this.#gate = gate;
  }

  get current(): Snapshot {
    return this.#current;
  }

  /** The current tools and those of sources that offer none now. */
  get known(): Snapshot {
    return this.#known;
  }

  /** The known tool of this name. Asks the gate again. */
  find(name: string): ToolEntry | undefined {
    const entry = this.#known.entries.get(name);
    return entry !== undefined && this.#gate.isOpen(entry) ? entry : undefined;
  }

  listingOf(source: string): SourceTools | undefined {
    return this.#sources.get(source)?.current;
  }

  /** Call it when the gate's decisions may have changed. */
  refresh(): void {
    if (!this.lifetime.isOver) this.#update();
  }

  attach(source: ToolSource): Attachment {
    this.lifetime.throwIfOver();
    refusePromise('The source', source);
    if (typeof Object(source).listTools !== 'function' || typeof source.callTool !== 'function') {
      throw new TypeError('A source must have name, listTools() and callTool(), as each of manager.servers() has');
    }
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
    this.names.attach(name);
    return {
      name,
      ready: listing.start().then(() => this.#gate.settled()),
      [Symbol.dispose]: () => this.#detach(listing),
    };
  }

  register(tool: NativeTool): Disposable {
    this.lifetime.throwIfOver();
    const { name } = tool.definition;
    // Every role may use the built-in tools, so their names are reserved.
    const isTaken = BUILT_IN_TOOLS.has(name) && tool.target.kind === 'native';
    if (isTaken || this.#natives.has(name)) throw nameTaken(name);
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

  /** @param drainMs - Time for the calls in progress. New ones are refused at once. */
  async close(drainMs: number): Promise<void> {
    if (this.lifetime.isOver) return;
    const closed = new RegistryError('closed', 'The registry is closed');
    if (drainMs > 0) await this.lifetime.drain(closed, drainMs);
    this.lifetime.end(closed);
    for (const listing of this.#sources.values()) listing[Symbol.dispose]();
    this.events.clear();
  }

  #detach(listing: SourceListing): void {
    listing[Symbol.dispose]();
    if (this.#sources.get(listing.name) !== listing || this.lifetime.isOver) return;
    this.#sources.delete(listing.name);
    this.names.detach(listing.name);
    this.#update();
  }

  #update(): void {
    const before = this.#current;
    const sources = this.#gate.admit(Array.from(this.#sources.values(), (listing) => listing.current));
    const natives = Array.from(this.#natives.values());
    const offered = sources.filter(({ isDormant }) => !isDormant);
    this.#current = buildSnapshot({ sources: offered, natives }, before);
    this.#known = offered.length === sources.length ? this.#current : buildSnapshot({ sources, natives }, this.#known);
    const change = diffSnapshots(before, this.#current);
    if (change !== undefined) this.events.emit('tools-changed', change);
    this.#gate.swapped();
  }
}

export function nameTaken(tool: string): RegistryError {
  const message = `A tool named ${tool} is registered already; dispose it first, or give this one another name`;
  return new RegistryError('duplicate-tool', message, { tool });
}
