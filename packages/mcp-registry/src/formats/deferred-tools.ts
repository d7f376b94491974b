import type { CallToolOptions, ToolCallResult } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { SEARCH_TOOL_NAME } from '@x/internal/names';
import { peekTool } from '@x/internal/views';
import type { RegistryView } from '../views/view.js';
import type { OfferedTools } from './offered-tools.js';
import { type ShownTool, TOOL_NAME } from './shown-tools.js';

/** The outcome of a model's search: the tools that it loads, or why there are none. */
export interface FoundTools {
  readonly result: ToolCallResult;
  readonly tools: readonly ShownTool[];
}

/** Constant, because it begins the prompt. */
const SEARCH: ShownTool = {
  name: SEARCH_TOOL_NAME,
  description:
    'Finds tools by what they do. Most tools are not loaded: search for what a task needs before concluding that no tool ' +
    'can do it. Each tool found is loaded, and can be called by its name from then on.',
  schema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'Words for what the tool should do, or its name.' },
      limit: { type: 'integer', minimum: 1, maximum: 20, default: 5 },
      server: { type: 'string', description: 'Only tools of this server.' },
    },
    required: ['query'],
    additionalProperties: false,
  },
  report: () => undefined,
};
const DEFAULT_LIMIT = 5;

/**
 * The tools of one conversation that the model finds by search. Loaded tools keep their order for good, so that each
 * request begins like the one before it while tools come and go.
 */
export class DeferredTools {
  readonly #view: RegistryView;
  readonly #offered: OfferedTools;
  readonly #loaded = new Set<string>();

  constructor(view: RegistryView, offered: OfferedTools) {
    this.#view = view;
    this.#offered = offered;
  }

  /** The search. Empty for a role that may not use it. */
  search(): readonly ShownTool[] {
    return peekTool(this.#view, SEARCH_TOOL_NAME) === undefined ? [] : [SEARCH];
  }

  /** In the order in which they were found. APIs refuse messages that refer to a tool without a definition. */
  loaded(): readonly ShownTool[] {
    return Array.from(this.#loaded, (name) => this.#show(name) ?? goneTool(name));
  }

  /** All others of the view. */
  unloaded(): readonly ShownTool[] {
    return this.#offered.list().filter(({ name }) => name !== SEARCH_TOOL_NAME && !this.#loaded.has(name));
  }

  /** @throws As `ModelTools.run`. */
  async find(args: unknown, options?: CallToolOptions): Promise<FoundTools> {
    const given = isRecord(args) ? { limit: DEFAULT_LIMIT, ...args } : args;
    const result = await this.#offered.call(SEARCH_TOOL_NAME, given, options);
    return { result, tools: this.load(foundNames(result)) };
  }

  /** Resolves with those that the API allows. */
  load(names: Iterable<string>): readonly ShownTool[] {
    const tools = Array.from(names).flatMap((name) => this.#show(name) ?? []);
    for (const { name } of tools) this.#loaded.add(name);
    return tools;
  }

  /** Loads all tools that messages from storage refer to, even those that are gone. */
  resume(messages: readonly unknown[]): void {
    for (const name of referencesIn(messages)) if (isReferable(name)) this.#loaded.add(name);
  }

  /** Also while the tool's server cannot be called. */
  #show(name: string): ShownTool | undefined {
    const tool = peekTool(this.#view, name) ?? this.#view.get(name);
    return tool === undefined ? undefined : this.#offered.show(tool);
  }
}

/** The names in a result of the search, best first. The search also finds itself. */
export function foundNames({ structuredContent }: ToolCallResult): readonly string[] {
  const tools = isRecord(structuredContent) ? structuredContent.tools : undefined;
  const names = (Array.isArray(tools) ? tools : []).map((tool: unknown) => (isRecord(tool) ? tool.name : undefined));
  return names.filter((name) => typeof name === 'string').filter((name) => name !== SEARCH_TOOL_NAME);
}

/** Without anything of the definition: the role may have lost the tool. */
function goneTool(name: string): ShownTool {
  const schema = { type: 'object', properties: {} } as const;
  return { name, description: 'This tool is no longer available.', schema, report: () => undefined };
}

/** One invalid name in `tools` would make the API refuse every further request. */
function isReferable(name: string): boolean {
  return TOOL_NAME.pattern.test(name) && name !== SEARCH_TOOL_NAME;
}

/** As the Messages API writes them, and as the AI SDK does. Arguments of a model are no references. */
function* referencesIn(messages: unknown): Generator<string> {
  const open: unknown[] = [messages];
  const visited = new Set<unknown>();
  while (open.length > 0) {
    const place = open.pop();
    if (typeof place !== 'object' || place === null || ArrayBuffer.isView(place) || visited.has(place)) continue;
    visited.add(place);
    const { type, tool_name: name, toolName } = place as Readonly<Record<string, unknown>>;
    if (type === 'tool_reference' && typeof name === 'string') yield name;
    if (type === 'tool-reference' && typeof toolName === 'string') yield toolName;
    for (const [key, inner] of Object.entries(place).toReversed()) if (key !== 'input') open.push(inner);
  }
}
