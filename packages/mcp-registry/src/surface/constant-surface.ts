import type { CallToolOptions, EventSource, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import { CALL_TOOL_NAME, SEARCH_TOOL_NAME } from '../catalog/public-name.js';
import { type ToolView, toToolView } from '../catalog/tool-view.js';
import type { ChangesOptions } from '../changes.js';
import { describeTool, type ToolDescription } from '../describe-tool.js';
import { isRegistryError } from '../errors.js';
import type { RegistryEvents, ToolsChange } from '../events.js';
import { PEEK, type Peekable, peekTools } from '../peek-tools.js';
import type { SearchOptions, SearchRequest, SearchResult } from '../search/search-request.js';
import { SEARCH_TOOL, toErrorPayload } from '../search/search-tool.js';
import type { RegistryView } from '../view.js';
import { CALL_TOOL_VIEW, readCallRequest } from './call-mcp-tool.js';

const SEARCH_TOOL_VIEW = toToolView(SEARCH_TOOL.definition, {
  name: SEARCH_TOOL_NAME,
  server: undefined,
  state: 'running',
});
const PAIR: readonly ToolView[] = Object.freeze([CALL_TOOL_VIEW, SEARCH_TOOL_VIEW]);
const NOTHING: readonly ToolView[] = Object.freeze([]);

/**
 * The same tools behind a listing that never changes: `search_mcp_tools` to find them and `call_mcp_tool` to call
 * them, byte for byte the same whatever the view holds, so that what a model's provider keeps of a prompt stays good.
 * Searching, reading and calling by name go through `view` and allow what it allows. `tools-changed` never happens.
 */
export function createConstantSurface(view: RegistryView): RegistryView {
  return new ConstantSurface(view);
}

class ConstantSurface implements RegistryView, Peekable {
  readonly #view: RegistryView;
  readonly events: EventSource<RegistryEvents>;
  readonly revision = 0;

  constructor(view: RegistryView) {
    this.#view = view;
    this.events = {
      on: (name, listener) =>
        name === 'tools-changed' ? { [Symbol.dispose]: () => undefined } : view.events.on(name, listener),
    };
  }

  /** Whoever may use something may use the pair. */
  list(): readonly ToolView[] {
    return this.#view.list().some(({ name }) => name === SEARCH_TOOL_NAME) ? PAIR : NOTHING;
  }

  [PEEK](): readonly ToolView[] {
    return peekTools(this.#view).some(({ name }) => name === SEARCH_TOOL_NAME) ? PAIR : NOTHING;
  }

  get(name: string): ToolView | undefined {
    if (name !== CALL_TOOL_NAME) return this.#view.get(name);
    return this.#view.get(SEARCH_TOOL_NAME) === undefined ? undefined : CALL_TOOL_VIEW;
  }

  describe(name: string): ToolDescription | undefined {
    const tool = this.get(name);
    return tool && describeTool(tool);
  }

  search(request: SearchRequest, options?: SearchOptions): Promise<SearchResult> {
    return this.#view.search(request, options);
  }

  call(name: string, args: ToolArguments = {}, options: CallToolOptions = {}): Promise<ToolCallResult> {
    return name === CALL_TOOL_NAME ? this.#callByName(args, options) : this.#view.call(name, args, options);
  }

  /**
   * What is wrong with the request is a result that the model sees: the protocol's error for a tool that does not
   * exist would be about `call_mcp_tool`, which does.
   */
  async #callByName(request: unknown, options: CallToolOptions): Promise<ToolCallResult> {
    try {
      const { name, args } = readCallRequest(request);
      return await this.#view.call(name, args, options);
    } catch (error) {
      // To whom nothing is shown, this tool is unknown like any other.
      if (isUnknownTool(error) && this.get(CALL_TOOL_NAME) === undefined) return this.#view.call(CALL_TOOL_NAME);
      if (isMistake(error)) return toErrorPayload(error);
      throw error;
    }
  }

  changes(options?: ChangesOptions): AsyncIterableIterator<ToolsChange> {
    const changes = this.#view.changes(options);
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      /** Waits for the end and tells of nothing on the way. */
      async next() {
        for (;;) {
          const step = await changes.next();
          if (step.done) return step;
        }
      },
      return: () => changes.return?.() ?? Promise.resolve({ done: true, value: undefined }),
    };
  }
}

function isUnknownTool(error: unknown): boolean {
  return isRegistryError(error) && error.code === 'unknown-tool';
}

function isMistake(error: unknown): boolean {
  return isRegistryError(error) && (error.code === 'unknown-tool' || error.code === 'invalid-arguments');
}
