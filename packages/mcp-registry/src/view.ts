import { type CallableTools, callTool } from './call-tool.js';
import type { Catalog } from './catalog/catalog.js';
import { diffSnapshots, restrictSnapshot, type Snapshot, type ToolEntry } from './catalog/snapshot.js';
import type { ToolView } from './catalog/tool-view.js';
import { type ChangesOptions, iterateChanges } from './changes.js';
import { Emitter, type EventSource, type RegistryEvents, type ToolsChange } from './events.js';
import type { RolePolicy } from './roles/compile-role.js';
import { resolveSearch, type SearchRequest, type SearchResult } from './search/search-request.js';
import { answerSearchTool } from './search/search-tool.js';
import { searchTools } from './search/search-tools.js';
import type { CallToolOptions, ToolArguments, ToolCallResult } from './source.js';

/**
 * The tools that someone may use, live. What they may not use does not exist here: not in reads, counts, scores,
 * hints, events or errors.
 */
export interface RegistryView {
  /** Grows whenever something that this view shows has changed. */
  readonly revision: number;
  /** All tools in the order of their public names. A frozen list that stays what it is; ask again for later tools. */
  list(): readonly ToolView[];
  /** The tool with this public name. */
  get(name: string): ToolView | undefined;
  /**
   * Finds tools by words, by name or by regular expression.
   *
   * @throws {RegistryError} `invalid-query` (too long), `invalid-pattern` (with `reason` and `position`), `closed`.
   * @throws {TypeError} naming the option that is out of its bounds.
   */
  search(request: SearchRequest): Promise<SearchResult>;
  /**
   * Runs a tool. A failure of the tool itself is a result with `isError`.
   *
   * @param name - Public name, as in `ToolView.name`.
   * @param args - Default `{}`.
   * @throws {RegistryError} `unknown-tool` (with `suggestions`), `invalid-arguments`, `timed-out`, `closed`.
   * @throws what the tool's source throws, unchanged; the reason of `options.signal` when it aborts.
   */
  call(name: string, args?: ToolArguments, options?: CallToolOptions): Promise<ToolCallResult>;
  readonly events: EventSource<RegistryEvents>;
  /** `tools-changed` as an iteration, from this call on; nothing between two steps is lost. Ends on abort and close. */
  changes(options?: ChangesOptions): AsyncIterableIterator<ToolsChange>;
}

/** @param policy - Left out, the view shows everything. */
export function createView(catalog: Catalog, policy?: RolePolicy): RegistryView {
  return new CatalogView(catalog, policy ?? (() => ({ isAllowed: true })));
}

class CatalogView implements RegistryView {
  readonly events = new Emitter<RegistryEvents>();
  readonly #catalog: Catalog;
  readonly #policy: RolePolicy;
  readonly #callable: CallableTools;
  #whole: Snapshot | undefined;
  #visible: Snapshot | undefined;
  #announced: Snapshot;

  constructor(catalog: Catalog, policy: RolePolicy) {
    this.#catalog = catalog;
    this.#policy = policy;
    this.#announced = this.#snapshot();
    this.#callable = {
      lifetime: catalog.lifetime,
      find: (name) => this.#find(name),
      list: () => this.list(),
      searchTool: (args) => answerSearchTool(args, (request) => this.search(request)),
    };
    catalog.events.on('tools-changed', () => this.#announce());
    catalog.lifetime.onEnd(() => this.events.clear());
  }

  get revision(): number {
    return this.#snapshot().revision;
  }

  list(): readonly ToolView[] {
    return this.#snapshot().tools;
  }

  get(name: string): ToolView | undefined {
    return this.#find(name)?.view;
  }

  async search(request: SearchRequest): Promise<SearchResult> {
    this.#catalog.lifetime.throwIfOver();
    return searchTools(this.#snapshot(), resolveSearch(request));
  }

  async call(name: string, args: ToolArguments = {}, options: CallToolOptions = {}): Promise<ToolCallResult> {
    return callTool(this.#callable, name, args, options);
  }

  changes(options: ChangesOptions = {}): AsyncIterableIterator<ToolsChange> {
    return iterateChanges(this.events, { ...options, lifetime: this.#catalog.lifetime });
  }

  /** Made when it is first read after a swap, and kept until the next one. */
  #snapshot(): Snapshot {
    const whole = this.#catalog.current;
    if (this.#visible === undefined || this.#whole !== whole) {
      this.#visible = restrictSnapshot(whole, (entry) => this.#isVisible(entry), this.#visible);
      this.#whole = whole;
    }
    return this.#visible;
  }

  /** Asks the policy about the tool as it is now, rather than trust what was decided for a list. */
  #find(name: string): ToolEntry | undefined {
    const entry = this.#catalog.current.entries.get(name);
    return entry !== undefined && this.#isVisible(entry) ? entry : undefined;
  }

  #isVisible({ view }: ToolEntry): boolean {
    return this.#policy(view).isAllowed;
  }

  #announce(): void {
    const change = diffSnapshots(this.#announced, this.#snapshot());
    this.#announced = this.#snapshot();
    if (change !== undefined) this.events.emit('tools-changed', change);
  }
}
