import type { EventSource } from '@x/internal/contracts';
import { Emitter } from '@x/internal/events';
import { readName } from '@x/internal/names';
import type { ServerInstructions } from '@x/internal/views';
import { withEntry } from '../catalog/build-snapshot.js';
import type { Catalog } from '../catalog/catalog.js';
import {
  diffSnapshots,
  restrictSnapshot,
  type Snapshot,
  type SourceTools,
  type ToolEntry,
  type Unlisted,
} from '../catalog/snapshot.js';
import { type AccessChange, type RegistryEvents, registryEvents } from '../events.js';
import type { RoleDecision, RolePolicy } from '../roles/compile-role.js';
import { LateSearch } from '../search/late-search.js';
import type { SharedRankers } from '../search/rank/ranker.js';

/** A requested name, with the policy's decision. Not for callers. */
export interface ToolLookup {
  readonly name: string;
  /** `hidden`, if it may be seen. */
  readonly entry: ToolEntry | undefined;
  /** The tool of that name, visible or not. */
  readonly hidden: ToolEntry | undefined;
  readonly decision: RoleDecision;
}

/** Stands for an unknown tool in policy decisions. */
const NO_TOOL = Object.freeze({ server: undefined, tool: '' });

const UNRESTRICTED: RoleDecision = Object.freeze({ isAllowed: true });
export const INTERCEPTED: RoleDecision = Object.freeze({ isAllowed: false, reason: 'intercepted' });

export interface ViewLens {
  /** Tools that the catalog does not have. Default: none. */
  readonly own?: readonly ToolEntry[];
  /** Returns an allowed tool as interceptors show it, or `undefined` if they hide it. */
  readonly shown: (entry: ToolEntry) => ToolEntry | undefined;
  /** Follows the current rules. */
  readonly policy: RolePolicy;
  /** The same object while the rules are unchanged. */
  readonly version: () => object;
  /** True if the rules allow parts of a server, held back or not. */
  readonly allowsPartsOf: (server: string) => boolean;
  /** True if only interceptors hide tools. */
  readonly seesAll?: boolean | undefined;
}

export interface SharedParts {
  readonly catalog: Catalog;
  readonly rankers: SharedRankers;
  readonly validatesArguments: boolean;
  /** Approved and redacted. */
  readonly instructionsOf: (server: string) => string | undefined;
  /** Approved and redacted. */
  readonly unlisted: (listing: SourceTools) => Unlisted | undefined;
}

export class VisibleTools {
  readonly catalog: Catalog;
  readonly validatesArguments: boolean;
  /** A separate index: hidden tools must not affect scores. */
  readonly search: LateSearch;
  /** Covers the known tools. Its own index, so that tools that cannot be called do not affect other searches. */
  readonly knownSearch: LateSearch;
  /** Only events about visible tools, unless everything is visible. */
  readonly events: EventSource<RegistryEvents>;
  readonly #instructionsOf: SharedParts['instructionsOf'];
  readonly #unlisted: SharedParts['unlisted'];
  readonly #lens: ViewLens | undefined;
  readonly #emitter = new Emitter<RegistryEvents>(registryEvents);
  readonly #visible: VisiblePart | undefined;
  readonly #visibleKnown: VisiblePart | undefined;
  #announced: Snapshot | undefined;
  #announcedVersion: object | undefined;
  #following: readonly Disposable[] = [];
  #listeners = 0;

  /** @param lens - Default: everything is visible. */
  constructor({ catalog, rankers, validatesArguments, instructionsOf, unlisted }: SharedParts, lens?: ViewLens) {
    this.catalog = catalog;
    this.#instructionsOf = instructionsOf;
    this.#unlisted = unlisted;
    this.validatesArguments = validatesArguments;
    const { lifetime } = catalog;
    this.search = new LateSearch({ snapshot: () => this.current, whole: () => catalog.current, rankers, lifetime });
    this.knownSearch = new LateSearch({ snapshot: () => this.known, whole: () => catalog.current, rankers, lifetime });
    this.#lens = lens;
    this.#visible = lens && new VisiblePart(lens);
    this.#visibleKnown = lens && new VisiblePart(lens);
    this.events = lens === undefined ? catalog.events : { on: (...subscription) => this.#listen(...subscription) };
  }

  get current(): Snapshot {
    const whole = this.catalog.current;
    return this.#visible?.of(whole) ?? whole;
  }

  /** Includes tools that cannot be called now. */
  get known(): Snapshot {
    const { current, known } = this.catalog;
    if (known === current) return this.current;
    return this.#visibleKnown?.of(known) ?? known;
  }

  get counts(): { readonly shown: number; readonly hidden: number } {
    const shown = this.current.entries.size;
    return { shown, hidden: this.catalog.current.entries.size + (this.#lens?.own?.length ?? 0) - shown };
  }

  /** Of servers with a tool that can be called now, by name. */
  get instructions(): readonly ServerInstructions[] {
    const servers = new Set(this.current.tools.map(({ server }) => server));
    return Array.from(servers)
      .sort()
      .flatMap((server) => {
        const text = server && this.#instructionsOf(server);
        return server && text ? [{ server, text }] : [];
      });
  }

  /** A hidden tool takes the same time as an unknown one. */
  find(name: string): ToolEntry | undefined {
    return this.known.entries.has(name) ? this.lookUp(name).entry : undefined;
  }

  /** `undefined` if the server has listed its tools, and for a tool that the policy would hide. */
  unlisted(name: string): Unlisted | undefined {
    const { catalog } = this;
    const reading = readName(name, (server) => catalog.listingOf(server)?.isListed === false);
    if (reading?.part === undefined) return undefined;
    const { server, part: tool } = reading;
    const listing = catalog.listingOf(server);
    if (listing === undefined || this.#lens?.policy({ server, tool }).isAllowed === false) return undefined;
    return this.#unlisted(listing);
  }

  /** Asks the policy again, about the current tool. */
  lookUp(name: string): ToolLookup {
    const hidden = this.#lens?.own?.find(({ view }) => view.name === name) ?? this.catalog.find(name);
    const decision = this.#lens?.policy(hidden?.view ?? NO_TOOL) ?? UNRESTRICTED;
    if (!decision.isAllowed || hidden === undefined || this.#lens === undefined) {
      return { name, hidden, decision, entry: decision.isAllowed ? hidden : undefined };
    }
    const entry = this.#lens.shown(hidden);
    return { name, hidden, decision: entry === undefined ? INTERCEPTED : decision, entry };
  }

  /** Subscribes only while there are listeners, so that views need not be closed. */
  #listen<Name extends keyof RegistryEvents>(name: Name, listener: (event: RegistryEvents[Name]) => void): Disposable {
    const subscription = this.#emitter.on(name, listener);
    if (this.#listeners++ === 0) {
      this.#announced = this.current;
      this.#announcedVersion = this.#lens?.version();
      const { events } = this.catalog;
      this.#following = [
        events.on('tools-changed', () => this.#announce()),
        events.on('access-changed', (change) => this.#announceAccess(change)),
      ];
    }
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        subscription[Symbol.dispose]();
        if (isOver) return;
        isOver = true;
        if (--this.#listeners > 0) return;
        for (const following of this.#following) following[Symbol.dispose]();
      },
    };
  }

  #announce(): void {
    const before = this.#announced ?? this.current;
    this.#announced = this.current;
    const change = diffSnapshots(before, this.current);
    if (change !== undefined) this.#emitter.emit('tools-changed', change);
  }

  /** Must not reveal changes of other roles' rules. */
  #announceAccess(change: AccessChange): void {
    this.#announce();
    const version = this.#lens?.version();
    const isOther = this.#announcedVersion !== version;
    this.#announcedVersion = version;
    const { server } = change;
    const { seesAll } = this.#lens ?? {};
    if (seesAll || isOther || (server !== undefined && this.#lens?.allowsPartsOf(server) === true))
      this.#emitter.emit('access-changed', change);
  }
}

/** The visible part of the latest snapshot. */
class VisiblePart {
  readonly #lens: ViewLens;
  #whole: Snapshot | undefined;
  #part: Snapshot | undefined;
  #version: object | undefined;

  constructor(lens: ViewLens) {
    this.#lens = lens;
  }

  of(whole: Snapshot): Snapshot {
    const version = this.#lens.version();
    if (this.#part === undefined || this.#whole !== whole || this.#version !== version) {
      const { own = [], policy, shown } = this.#lens;
      const hasNewRules = this.#version !== version;
      const seen = (entry: ToolEntry) => (policy(entry.view).isAllowed ? shown(entry) : undefined);
      this.#part = restrictSnapshot(own.reduce(withEntry, whole), seen, { previous: this.#part, hasNewRules });
      this.#whole = whole;
      this.#version = version;
    }
    return this.#part;
  }
}
