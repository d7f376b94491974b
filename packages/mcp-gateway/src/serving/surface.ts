import type { CallToolOptions, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import { together } from '@x/internal/events';
import { composeInstructions, instructionsRows } from '@x/internal/instructions';
import { CALL_TOOL_NAME, CODE_TOOL_NAME, READ_RESULT_TOOL_NAME, SEARCH_TOOL_NAME } from '@x/internal/names';
import type { OptionRows, Resolved } from '@x/internal/options';
import {
  CALL_TOOL_VIEW,
  type CodeTool,
  callByName,
  codeOption,
  instructionsIn,
  PEEK,
  peekTools,
  type ToolView,
  ViewDecorator,
} from '@x/internal/views';
import type { RegistryView, ViewEvents } from '../registry.js';
import { PublicFailures } from './public-failures.js';

/**
 * Which tools `tools/list` shows. `full`: all. `search`: only `search_mcp_tools` and `call_mcp_tool`, which find and
 * call all others. `auto`: `full` up to `maxListedTools` tools, then `search`.
 */
export type Surface = 'full' | 'search' | 'auto';

/** Options of the listing. */
export interface SurfaceOptions {
  /** Default `full`. */
  readonly surface?: Surface | undefined;
  /** Maximum number of listed tools with `auto`. Default 50. */
  readonly maxListedTools?: number | undefined;
  /**
   * Maximum length of what clients get of servers' instructions, in characters. A client gets those of servers whose
   * tools it may use. Default 4 000; 0 leaves them out.
   */
  readonly maxInstructionCharacters?: number | undefined;
  /** Puts them into the description of `search_mcp_tools`, too, for hosts that do not show others. Default `false`. */
  readonly instructionsInSearch?: boolean | undefined;
  /**
   * With `surface: 'search'`: also offers `execute_mcp_code`, with an open `CodeRunner` of `@x/mcp-registry/code`. The
   * caller closes it. Default: none.
   */
  readonly code?: CodeTool | undefined;
}

export const surfaceRows = {
  surface: { kind: 'word', words: ['full', 'search', 'auto'], default: 'full' },
  maxListedTools: { kind: 'number', of: 'tools', min: 0, default: 50 },
  maxInstructionCharacters: instructionsRows.maxCharacters,
  instructionsInSearch: { kind: 'flag', default: false },
  code: codeOption,
} as const satisfies OptionRows<SurfaceOptions>;

export type SurfacePolicy = Resolved<SurfaceOptions, typeof surfaceRows>;

/** @throws {TypeError} Programs need the constant listing. */
export function checkSurface({ surface, code }: Pick<SurfacePolicy, 'surface' | 'code'>): void {
  if (code === undefined || surface === 'search') return;
  throw new TypeError(`code needs surface: "search", whose tools find what a program calls, got "${surface}"`);
}

export function createSurface(
  given: RegistryView,
  { surface, maxListedTools, maxInstructionCharacters, instructionsInSearch, code }: SurfacePolicy,
): RegistryView {
  const known = surface === 'full' ? given : new PublicFailures(given);
  const view = instructionsInSearch ? new InstructiveSearch(known, maxInstructionCharacters) : known;
  if (surface === 'full') return view;
  return surface === 'search' ? new ConstantSurface(view, code) : new AutoSurface(view, maxListedTools);
}

/** A view whose search tool has the instructions of servers in its description. */
class InstructiveSearch extends ViewDecorator<RegistryView> {
  readonly #maxCharacters: number;
  #search: { readonly tool: ToolView; readonly own: ToolView } | undefined;
  #listed:
    | { readonly tools: readonly ToolView[]; readonly own: ToolView; readonly list: readonly ToolView[] }
    | undefined;

  constructor(view: RegistryView, maxCharacters: number) {
    super(view);
    this.#maxCharacters = maxCharacters;
  }

  override list(): readonly ToolView[] {
    return this.#instructedList(this.inner.list());
  }

  override [PEEK](): readonly ToolView[] {
    return this.#instructedList(peekTools(this.inner));
  }

  override get(name: string): ToolView | undefined {
    const tool = this.inner.get(name);
    return tool && this.#instructed(tool);
  }

  /** Instructions also change when they are approved or held back. */
  override get events(): ViewEvents {
    const { events } = this.inner;
    return {
      on: (name, listener) => {
        if (name !== 'tools-changed') return events.on(name, listener);
        return together(events.on('tools-changed', listener), events.on('access-changed', listener));
      },
    };
  }

  /** The same list each time while nothing has changed. */
  #instructedList(tools: readonly ToolView[]): readonly ToolView[] {
    const search = tools.find(({ name }) => name === SEARCH_TOOL_NAME);
    if (search === undefined) return tools;
    const own = this.#instructed(search);
    const before = this.#listed;
    if (before?.tools === tools && before.own === own) return before.list;
    const list = Object.freeze(tools.map((tool) => (tool === search ? own : tool)));
    this.#listed = { tools, own, list };
    return list;
  }

  #instructed(tool: ToolView): ToolView {
    if (tool.name !== SEARCH_TOOL_NAME) return tool;
    const instructions = composeInstructions(instructionsIn(this.inner), this.#maxCharacters);
    const description = [tool.description, instructions].filter(Boolean).join('\n\n');
    const before = this.#search;
    if (before?.tool === tool && before.own.description === description) return before.own;
    const own = Object.freeze({ ...tool, description });
    this.#search = { tool, own };
    return own;
  }
}

/** A view that also offers `call_mcp_tool`, if it offers `search_mcp_tools`. */
class CallByName extends ViewDecorator<RegistryView> {
  override get(name: string): ToolView | undefined {
    if (name !== CALL_TOOL_NAME) return this.inner.get(name);
    return this.inner.get(SEARCH_TOOL_NAME) === undefined ? undefined : CALL_TOOL_VIEW;
  }

  override call(name: string, args: ToolArguments = {}, options: CallToolOptions = {}): Promise<ToolCallResult> {
    return name === CALL_TOOL_NAME ? callByName(this.inner, args, options, this) : this.inner.call(name, args, options);
  }
}

/** Chooses the listing by the number of tools. Calls accept both forms, since a client may have the other listing. */
class AutoSurface extends CallByName {
  readonly #constant: RegistryView;
  readonly #maxListedTools: number;

  constructor(view: RegistryView, maxListedTools: number) {
    super(view);
    this.#constant = new ConstantSurface(view, undefined);
    this.#maxListedTools = maxListedTools;
  }

  override list(): readonly ToolView[] {
    return this.#shown.list();
  }

  override [PEEK](): readonly ToolView[] {
    return peekTools(this.#shown);
  }

  get #shown(): RegistryView {
    return peekTools(this.inner).length > this.#maxListedTools ? this.#constant : this.inner;
  }
}

/** Lists only `search_mcp_tools` and `call_mcp_tool`, and `execute_mcp_code` where it is offered. */
class ConstantSurface extends CallByName {
  readonly #code: CodeTool | undefined;

  constructor(view: RegistryView, code: CodeTool | undefined) {
    super(view);
    this.#code = code;
  }

  override get(name: string): ToolView | undefined {
    if (name !== CODE_TOOL_NAME || this.#code === undefined) return super.get(name);
    return this.inner.get(SEARCH_TOOL_NAME) === undefined ? undefined : this.#code.tool;
  }

  override call(name: string, args: ToolArguments = {}, options: CallToolOptions = {}): Promise<ToolCallResult> {
    if (name !== CODE_TOOL_NAME || this.get(name) === undefined) return super.call(name, args, options);
    return this.#code?.run(this.inner, args, options) ?? super.call(name, args, options);
  }

  override get events(): ViewEvents {
    const { events } = this.inner;
    if (this.inner instanceof InstructiveSearch) return events;
    return {
      on: (name, listener) =>
        name === 'tools-changed' ? { [Symbol.dispose]: () => undefined } : events.on(name, listener),
    };
  }

  override list(): readonly ToolView[] {
    return ownTools(this.inner.list(), this.#code);
  }

  override [PEEK](): readonly ToolView[] {
    return ownTools(peekTools(this.inner), this.#code);
  }
}

const NOTHING: readonly ToolView[] = Object.freeze([]);
const NO_CODE = {};
const NO_READER = {};
/** The same list each time, by the search and the reader of results, which differ by role, and the tool of programs. */
const known = new WeakMap<ToolView, WeakMap<object, WeakMap<object, readonly ToolView[]>>>();

function ownTools(tools: readonly ToolView[], code: CodeTool | undefined): readonly ToolView[] {
  const search = tools.find(({ name }) => name === SEARCH_TOOL_NAME);
  if (search === undefined) return NOTHING;
  const reader = tools.find(({ name }) => name === READ_RESULT_TOOL_NAME);
  const byReader = known.get(search) ?? new WeakMap();
  known.set(search, byReader);
  const readerKey = reader ?? NO_READER;
  const byCode = byReader.get(readerKey) ?? new WeakMap();
  byReader.set(readerKey, byCode);
  const codeKey = code?.tool ?? NO_CODE;
  const more = [code?.tool, reader].filter((tool) => tool !== undefined);
  const own = byCode.get(codeKey) ?? Object.freeze([CALL_TOOL_VIEW, ...more, search]);
  byCode.set(codeKey, own);
  return own;
}
