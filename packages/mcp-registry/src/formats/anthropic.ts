import type { ToolCallResult } from '@x/internal/contracts';
import { SEARCH_TOOL_NAME } from '@x/internal/names';
import { optionTable } from '@x/internal/options';
import type { RegistryView } from '../views/view.js';
import { DeferredTools } from './deferred-tools.js';
import type { DeferredModelTools, ModelTools } from './model-tools.js';
import { offerTools } from './offered-tools.js';
import { type IMAGES, MEDIA, PDF, type ResultPart, resultParts } from './result-parts.js';
import { type ShownTool, type ShownToolOptions, shownRows } from './shown-tools.js';

/** An entry of `tools` in the Messages API. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: {
    type: 'object';
    properties: Record<string, unknown>;
    required?: string[];
    [keyword: string]: unknown;
  };
  /** Keeps the definition from the prompt until a result refers to it. */
  defer_loading?: true;
}

/** A block `tool_use` of the Messages API. */
export interface AnthropicToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** A result block. */
export interface AnthropicToolResult {
  type: 'tool_result';
  tool_use_id: string;
  content: AnthropicResultPart[];
  is_error?: true;
}

/** The result of a search: the API shows the model the definitions of these tools. */
export interface AnthropicToolReferences {
  type: 'tool_result';
  tool_use_id: string;
  content: { type: 'tool_reference'; tool_name: string }[];
}

/** A part of a result. */
export type AnthropicResultPart =
  | { type: 'text'; text: string }
  | { type: 'image'; source: AnthropicImage }
  | { type: 'document'; source: AnthropicDocument; title: string };

/** An image in a result; `data` is base64. */
export interface AnthropicImage {
  type: 'base64';
  media_type: AnthropicMediaType;
  data: string;
}

/** A PDF document in a result; `data` is base64. */
export interface AnthropicDocument {
  type: 'base64';
  media_type: 'application/pdf';
  data: string;
}

/** Image types of the API. */
export type AnthropicMediaType = (typeof IMAGES)[number];

const RULES = { propertyName: /^[a-zA-Z0-9_.-]{1,64}$/ };

/** Options of `anthropic`. */
export interface AnthropicOptions extends ShownToolOptions {
  /** Leaves definitions out of the prompt until the model finds them by a search of the registry. Default `false`. */
  readonly defer?: boolean | undefined;
}

/** All tools, defined from the start. */
export type AnthropicDirectTools = ModelTools<AnthropicTool[], AnthropicToolUse, AnthropicToolResult>;

/** The search and the tools found so far; `run` also runs the search. */
export type AnthropicDeferredTools = DeferredModelTools<
  AnthropicTool[],
  AnthropicToolUse,
  AnthropicToolResult | AnthropicToolReferences
>;

const toolOptions = optionTable<AnthropicOptions>()({ ...shownRows, defer: { kind: 'flag', default: false } });

/**
 * Tools for the Messages API of Anthropic.
 *
 * @throws {TypeError} `view` is not a view, or an option is invalid.
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use
 */
export function anthropic(
  view: RegistryView,
  options?: AnthropicOptions & { readonly defer?: false | undefined },
): AnthropicDirectTools;
export function anthropic(
  view: RegistryView,
  options: AnthropicOptions & { readonly defer: true },
): AnthropicDeferredTools;
export function anthropic(
  view: RegistryView,
  options?: AnthropicOptions,
): AnthropicDirectTools | AnthropicDeferredTools {
  const { defer, ...shown } = toolOptions.read(options);
  const offered = offerTools(view, shown, RULES);
  const direct: AnthropicDirectTools = {
    get tools() {
      return offered.list().map(toTool);
    },
    async run(call, callOptions) {
      const { id, name, input } = Object(call) as AnthropicToolUse;
      return toResult(id, await offered.call(name, input, callOptions));
    },
  };
  return defer ? deferred(direct, new DeferredTools(view, offered)) : direct;
}

/** Requests define the loaded tools only: the API asks for no more, and their definitions are not in the prompt. */
function deferred(direct: AnthropicDirectTools, tools: DeferredTools): AnthropicDeferredTools {
  return {
    get tools() {
      const loaded = tools.loaded().map((tool): AnthropicTool => ({ ...toTool(tool), defer_loading: true }));
      return [...tools.search().map(toTool), ...loaded];
    },
    async run(call, callOptions) {
      if (Object(call).name !== SEARCH_TOOL_NAME) return direct.run(call, callOptions);
      const { id: tool_use_id, input } = call;
      const found = await tools.find(input, callOptions);
      if (found.tools.length === 0) return toResult(tool_use_id, found.result);
      const content = found.tools.map(({ name }) => ({ type: 'tool_reference' as const, tool_name: name }));
      return { type: 'tool_result', tool_use_id, content };
    },
    resume: (messages) => tools.resume(messages),
  };
}

function toResult(tool_use_id: string, result: ToolCallResult): AnthropicToolResult {
  const content = resultParts(result, MEDIA).map(toBlock);
  return { type: 'tool_result', tool_use_id, content, ...(result.isError === true ? { is_error: true } : {}) };
}

function toTool({ name, description, schema: { required, ...schema } }: ShownTool): AnthropicTool {
  return {
    name,
    description,
    input_schema: { ...schema, ...(required === undefined ? {} : { required: [...required] }) },
  };
}

function toBlock(part: ResultPart): AnthropicResultPart {
  const { kind } = part;
  if (kind === 'text') return { type: 'text', text: part.text };
  const { data } = part;
  if (kind === 'document') {
    return { type: 'document', source: { type: 'base64', media_type: PDF, data }, title: part.name };
  }
  return { type: 'image', source: { type: 'base64', media_type: part.mediaType as AnthropicMediaType, data } };
}
