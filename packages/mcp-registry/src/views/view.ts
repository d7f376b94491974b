import type { CallToolOptions, EventSource, ToolArguments, ToolCaller, ToolCallResult } from '@x/internal/contracts';
import type { InstructionsOptions } from '@x/internal/instructions';
import { signalOptions } from '@x/internal/options';
import {
  ViewDecorator as AnyViewDecorator,
  AUDIT,
  type Audited,
  decisionSink,
  INSTRUCTIONS,
  INTERCEPTORS,
  type Instructing,
  type Intercepted,
  type Interceptor,
  type OfRole,
  PEEK,
  type Peekable,
  ROLE,
  recordCall,
  type ServerInstructions,
  type ToolView,
  type ViewInterceptors,
} from '@x/internal/views';
import type { AuditTrail } from '../audit/audit-trail.js';
import type { CallableTools } from '../calls/call-tool.js';
import { callTool, describeTool } from '../calls/late-calls.js';
import { type ChangesOptions, iterateChanges } from '../changes.js';
import type { RegistryEvents, ToolsChange } from '../events.js';
import { RequestInterceptors } from '../interceptors/interceptor-list.js';
import { searchCode } from '../search/late-search.js';
import type { SearchOptions, SearchRequest, SearchResult } from '../search/search-request.js';
import { SEARCH_TOOL } from '../search/search-tool.js';
import type { ToolDescription } from '../tool-description.js';
import type { VisibleTools } from './visible-tools.js';

/**
 * The live tools that a caller may use. Other tools appear nowhere: not in reads, counts, scores, hints, events or
 * errors.
 */
export interface RegistryView {
  /** Increases with every change of this view. */
  readonly revision: number;
  /** All tools, sorted by public name. The list is immutable; call again for later tools. */
  list(): readonly ToolView[];
  /** The tool with this public name, even if `list()` omits it because its server cannot be called now. */
  get(name: string): ToolView | undefined;
  /** Resolves with the tool as text, with its signature. */
  describe(name: string): Promise<ToolDescription | undefined>;
  /**
   * Resolves with the approved instructions of the servers whose tools are in this view, as one text for a system
   * prompt: by server, cleaned, cut to a length, and empty if there are none.
   */
  instructions(options?: InstructionsOptions): Promise<string>;
  /**
   * Finds tools by words, by name or by regular expression, or lists them.
   *
   * @throws {RegistryError} `invalid-query` (too long), `invalid-pattern` (with `reason` and `position`),
   * `invalid-cursor`, `closed`.
   * @throws {TypeError} naming the invalid option.
   * @throws The reason of `options.signal` when it aborts.
   */
  search(request: SearchRequest, options?: SearchOptions): Promise<SearchResult>;
  /**
   * Calls a tool. A failure of the tool itself is a result with `isError`.
   *
   * @param name - Public name.
   * @param args - Default `{}`.
   * @throws {RegistryError} `unknown-tool` (with `suggestions`), `invalid-arguments` (with `faults`), `invalid-result`,
   * `timed-out`, `closed`.
   * @throws The unchanged error of the tool's source, or the reason of `options.signal` when it aborts.
   */
  call(name: string, args?: ToolArguments, options?: CallToolOptions): Promise<ToolCallResult>;
  readonly events: EventSource<RegistryEvents>;
  /**
   * Iterates over `tools-changed` events from this call on. A slow reader gets later changes merged. Ends without an
   * error on abort, when the registry closes, or with the loop.
   */
  changes(options?: ChangesOptions): AsyncIterableIterator<ToolsChange>;
}

interface ViewParts {
  readonly audit?: AuditTrail | undefined;
  /** Read for each call, because the default role may change. */
  readonly caller?: (() => ToolCaller) | undefined;
  readonly interceptors: readonly Interceptor[];
  /** The interceptor that calls pass last, if any. */
  readonly lastInterceptor: () => Interceptor | undefined;
}

/** One actor's view of `tools`. */
export function createView(tools: VisibleTools, parts: ViewParts): RegistryView {
  return new ToolsView(tools, parts);
}

class ToolsView implements RegistryView, Peekable, Instructing, Audited, Intercepted, OfRole {
  readonly #tools: VisibleTools;
  readonly #audit: AuditTrail | undefined;
  readonly #callable: CallableTools;
  readonly #interceptors: RequestInterceptors;

  constructor(tools: VisibleTools, { audit, caller, interceptors, lastInterceptor }: ViewParts) {
    this.#tools = tools;
    this.#audit = audit;
    this.#interceptors = new RequestInterceptors(interceptors, caller, lastInterceptor);
    this.#callable = {
      caller: caller ?? (() => undefined),
      interceptors: this.#interceptors,
      visible: tools,
      // Records the search tool's searches like any other.
      searchTool: async (args, { signal }) => {
        const { callSearchTool } = await searchCode.load();
        return callSearchTool(args, (request, asked) => this.#search(request, { signal }, asked));
      },
    };
  }

  get events(): EventSource<RegistryEvents> {
    return this.#tools.events;
  }

  get revision(): number {
    return this.#tools.current.revision;
  }

  list(): readonly ToolView[] {
    const { tools } = this.#tools.current;
    this.#audit?.listed(this.#tools.counts);
    return tools;
  }

  [PEEK](): readonly ToolView[] {
    return this.#tools.current.tools;
  }

  [INSTRUCTIONS](): readonly ServerInstructions[] {
    return this.#tools.instructions;
  }

  get [AUDIT](): AuditTrail | undefined {
    return this.#audit;
  }

  get [INTERCEPTORS](): ViewInterceptors {
    return this.#interceptors;
  }

  get [ROLE](): string | undefined {
    return this.#callable.caller()?.role;
  }

  get(name: string): ToolView | undefined {
    this.#audit?.described(this.#tools.lookUp(name));
    return this.#tools.find(name)?.view;
  }

  async describe(name: string): Promise<ToolDescription | undefined> {
    const view = this.get(name);
    return view && describeTool(view);
  }

  async instructions(options?: InstructionsOptions): Promise<string> {
    return (await searchCode.load()).textOfInstructions(this[INSTRUCTIONS](), options);
  }

  async search(request: SearchRequest, options?: SearchOptions): Promise<SearchResult> {
    return this.#search(request, options, request);
  }

  #search(request: SearchRequest, options: SearchOptions | undefined, recorded: unknown): Promise<SearchResult> {
    this.#audit?.searched(recorded, SEARCH_TOOL.definition.inputSchema, this.#tools.counts);
    const { search, knownSearch } = this.#tools;
    return (request?.include === 'known' ? knownSearch : search).search(request, options);
  }

  call(name: string, args: ToolArguments = {}, options: CallToolOptions = {}): Promise<ToolCallResult> {
    try {
      if (this.#audit === undefined) return callTool(this.#callable, { name, args, options });
      const record = this.#audit.called(this.#tools.lookUp(name), args, undefined, options?.handler?.clientInfo);
      const call = { name, args, options, onDecision: decisionSink(record) };
      return recordCall(() => callTool(this.#callable, call), record);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  changes(options?: ChangesOptions): AsyncIterableIterator<ToolsChange> {
    return iterateChanges(this.events, { ...signalOptions.read(options), lifetime: this.#tools.catalog.lifetime });
  }
}

/** Forwards everything to the view `inner`. `describe` uses the subclass's `get`. */
export class ViewDecorator extends AnyViewDecorator<RegistryView> implements RegistryView {
  get revision(): number {
    return this.inner.revision;
  }

  async describe(name: string): Promise<ToolDescription | undefined> {
    const tool = this.get(name);
    return tool && describeTool(tool);
  }

  instructions(options?: InstructionsOptions): Promise<string> {
    return this.inner.instructions(options);
  }

  search(request: SearchRequest, options?: SearchOptions): Promise<SearchResult> {
    return this.inner.search(request, options);
  }

  changes(options?: ChangesOptions): AsyncIterableIterator<ToolsChange> {
    return this.inner.changes(options);
  }
}
