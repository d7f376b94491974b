import type { EventSource } from '@x/internal/contracts';
import { Emitter } from '@x/internal/events';
import type { Catalog } from '../catalog/catalog.js';
import { diffSnapshots, restrictSnapshot, type Snapshot, type ToolEntry } from '../catalog/snapshot.js';
import type { AccessChange, RegistryEvents } from '../events.js';
import type { RoleDecision, RolePolicy } from '../roles/compile-role.js';
import { LateSearch } from '../search/late-search.js';
import type { SharedRankers } from '../search/ranker.js';

/** Who has a public name, and what decides about that tool. Not to be shown to who asks: `find` is for them. */
export interface ToolLookup {
  readonly name: string;
  /** The tool, if it may be seen. */
  readonly entry: ToolEntry | undefined;
  /** The tool that has the name, whether it may be seen or not. */
  readonly hidden: ToolEntry | undefined;
  readonly decision: RoleDecision;
}

/** Nobody's tool, for the policy to be asked about a name that no tool has. */
const NO_TOOL = Object.freeze({ server: undefined, tool: '' });

const UNRESTRICTED: RoleDecision = Object.freeze({ isAllowed: true });

/** What one view lets through. */
export interface ViewLens {
  /** Goes by the rules that hold at the moment. */
  readonly policy: RolePolicy;
  /** The same object for as long as the policy decides by the same rules. */
  readonly version: () => object;
  /** Whether the rules allow parts of a server, held back or not. */
  readonly mayLearnOf: (server: string) => boolean;
}

/** What all views of one registry share. */
export interface SharedParts {
  readonly catalog: Catalog;
  readonly rankers: SharedRankers;
  readonly validatesArguments: boolean;
}

/** The tools that one policy lets through: what all views of one role have in common. */
export class VisibleTools {
  readonly catalog: Catalog;
  readonly validatesArguments: boolean;
  /** An index of its own: what is hidden must not move scores. */
  readonly search: LateSearch;
  /** A view of everything has all events of the registry; any other one only tells of its tools. */
  readonly events: EventSource<RegistryEvents>;
  readonly #lens: ViewLens | undefined;
  readonly #emitter = new Emitter<RegistryEvents>();
  #whole: Snapshot | undefined;
  #visible: Snapshot | undefined;
  #announced: Snapshot | undefined;
  #version: object | undefined;
  #announcedVersion: object | undefined;
  #following: readonly Disposable[] = [];
  #listeners = 0;

  /** @param lens - Left out, everything is visible. */
  constructor({ catalog, rankers, validatesArguments }: SharedParts, lens?: ViewLens) {
    this.catalog = catalog;
    this.validatesArguments = validatesArguments;
    this.search = new LateSearch({
      snapshot: () => this.current,
      whole: () => catalog.current,
      rankers,
      lifetime: catalog.lifetime,
    });
    this.#lens = lens;
    this.events = lens === undefined ? catalog.events : { on: (...subscription) => this.#listen(...subscription) };
  }

  /** Made when it is first read after a swap or a change of rules, and kept until the next one. */
  get current(): Snapshot {
    const whole = this.catalog.current;
    const lens = this.#lens;
    if (lens === undefined) return whole;
    const version = lens.version();
    if (this.#visible === undefined || this.#whole !== whole || this.#version !== version) {
      const isVisible = ({ view }: ToolEntry) => lens.policy(view).isAllowed;
      const hasNewRules = this.#version !== version;
      this.#visible = restrictSnapshot(whole, isVisible, { previous: this.#visible, hasNewRules });
      this.#whole = whole;
      this.#version = version;
    }
    return this.#visible;
  }

  get counts(): { readonly shown: number; readonly hidden: number } {
    const shown = this.current.entries.size;
    return { shown, hidden: this.catalog.current.entries.size - shown };
  }

  /** The tool of that name, if it may be seen. One that may not is not there, and costs as much time as none. */
  find(name: string): ToolEntry | undefined {
    return this.current.entries.has(name) ? this.lookUp(name).entry : undefined;
  }

  /** Asks the policy about the tool as it is now, rather than trust what was decided for a list. */
  lookUp(name: string): ToolLookup {
    const hidden = this.catalog.find(name);
    const decision = this.#lens?.policy(hidden?.view ?? NO_TOOL) ?? UNRESTRICTED;
    return { name, hidden, decision, entry: decision.isAllowed ? hidden : undefined };
  }

  /** Follows the catalog only while somebody listens, so that a view that is let go of leaves nothing behind. */
  #listen<Name extends keyof RegistryEvents>(name: Name, listener: (event: RegistryEvents[Name]) => void): Disposable {
    const subscription = this.#emitter.on(name, listener);
    if (this.#listeners++ === 0) {
      this.#announced = this.current;
      this.#announcedVersion = this.#version;
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

  /** A change of other roles' rules is nothing that this view may learn of. */
  #announceAccess(change: AccessChange): void {
    this.#announce();
    const isOther = this.#announcedVersion !== this.#version;
    this.#announcedVersion = this.#version;
    const { server } = change;
    if (isOther || (server !== undefined && this.#lens?.mayLearnOf(server) === true))
      this.#emitter.emit('access-changed', change);
  }
}
