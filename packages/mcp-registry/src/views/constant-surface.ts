import type { CallToolOptions, EventSource, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import { CALL_TOOL_NAME, CODE_TOOL_NAME, READ_RESULT_TOOL_NAME, SEARCH_TOOL_NAME } from '@x/internal/names';
import { optionTable } from '@x/internal/options';
import {
  CALL_TOOL_VIEW,
  type CodeTool,
  callByName,
  codeOption,
  PEEK,
  peekTools,
  requireView,
  type ToolView,
} from '@x/internal/views';
import { toToolView } from '../catalog/tool-view.js';
import type { ChangesOptions } from '../changes.js';
import type { RegistryEvents, ToolsChange } from '../events.js';
import { SEARCH_TOOL } from '../search/search-tool.js';
import { type RegistryView, ViewDecorator } from './view.js';

const SEARCH_TOOL_VIEW = toToolView(SEARCH_TOOL.definition, {
  name: SEARCH_TOOL_NAME,
  server: undefined,
  state: 'running',
});
const NOTHING: readonly ToolView[] = Object.freeze([]);

/** Options of a constant surface. */
export interface ConstantSurfaceOptions {
  /** Also offers `execute_mcp_code`: an open `CodeRunner` of `@x/mcp-registry/code`. Default: none. */
  readonly code?: CodeTool | undefined;
}

const surfaceOptions = optionTable<ConstantSurfaceOptions>()({ code: codeOption });

/**
 * The same tools behind a constant listing of `search_mcp_tools` and `call_mcp_tool`, which keeps a model provider's
 * prompt cache valid. Searches, reads and calls by name go through `view`. Never emits `tools-changed`.
 */
export function createConstantSurface(view: RegistryView, options?: ConstantSurfaceOptions): RegistryView {
  requireView(view);
  return new ConstantSurface(view, surfaceOptions.read(options).code);
}

class ConstantSurface extends ViewDecorator {
  readonly #code: CodeTool | undefined;
  #tools: readonly ToolView[] | undefined;
  #reader: ToolView | undefined;

  constructor(view: RegistryView, code: CodeTool | undefined) {
    super(view);
    this.#code = code;
  }

  override get revision(): number {
    return 0;
  }

  override get events(): EventSource<RegistryEvents> {
    const { events } = this.inner;
    return {
      on: (name, listener) =>
        name === 'tools-changed' ? { [Symbol.dispose]: () => undefined } : events.on(name, listener),
    };
  }

  /** Empty for callers that may use nothing. */
  override list(): readonly ToolView[] {
    return this.#own(this.inner.list());
  }

  override [PEEK](): readonly ToolView[] {
    return this.#own(peekTools(this.inner));
  }

  #own(tools: readonly ToolView[]): readonly ToolView[] {
    if (!tools.some(({ name }) => name === SEARCH_TOOL_NAME)) return NOTHING;
    const reader = tools.find(({ name }) => name === READ_RESULT_TOOL_NAME);
    if (this.#tools === undefined || reader !== this.#reader) {
      const more = [this.#code?.tool, reader].filter((tool) => tool !== undefined);
      this.#tools = Object.freeze([CALL_TOOL_VIEW, ...more, SEARCH_TOOL_VIEW]);
      this.#reader = reader;
    }
    return this.#tools;
  }

  /** Includes the tools that only the surface has. */
  override get(name: string): ToolView | undefined {
    const own = name === CALL_TOOL_NAME ? CALL_TOOL_VIEW : name === CODE_TOOL_NAME ? this.#code?.tool : undefined;
    if (own === undefined) return this.inner.get(name);
    return this.inner.get(SEARCH_TOOL_NAME) === undefined ? undefined : own;
  }

  override call(name: string, args: ToolArguments = {}, options: CallToolOptions = {}): Promise<ToolCallResult> {
    if (name === CALL_TOOL_NAME) return callByName(this.inner, args, options, this);
    const runsCode = name === CODE_TOOL_NAME && this.#code !== undefined && this.get(name) !== undefined;
    return runsCode ? this.#code.run(this.inner, args, options) : this.inner.call(name, args, options);
  }

  override changes(options?: ChangesOptions): AsyncIterableIterator<ToolsChange> {
    const changes = this.inner.changes(options);
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
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
