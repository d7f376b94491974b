import type { CallToolOptions, ToolCallResult } from '@x/internal/contracts';
import { SEARCH_TOOL_NAME } from '@x/internal/names';
import type {
  AISDKFoundTools,
  AISDKJson,
  AISDKTool,
  AISDKToolCall,
  AISDKToolOutput,
  AISDKToolResult,
} from './ai-sdk-tool.js';
import { type DeferredTools, foundNames } from './deferred-tools.js';
import type { DeferredModelTools } from './model-tools.js';
import { toFunction } from './openai-function.js';
import type { ShownTool } from './shown-tools.js';

/** The provider whose tool search is used: each has its own options in the AI SDK. */
export type AISDKDeferral = (typeof DEFERRALS)[number];
export const DEFERRALS = ['anthropic', 'openai'] as const;

/** The search of OpenAI's provider. */
export interface AISDKToolSearch<Schema> {
  type: 'provider';
  id: 'openai.tool_search';
  isProviderExecuted: false;
  args: Record<string, unknown>;
  inputSchema: Schema;
  /** Searches. Invalid arguments and a search without hits load nothing. */
  execute: (input: { arguments?: unknown }, options: object) => Promise<AISDKFoundTools>;
}

/** Tools for `generateText` and `streamText`, with the search among them. */
export type AISDKDeferredTools<Schema> = DeferredModelTools<
  Record<string, AISDKTool<Schema> | AISDKToolSearch<Schema>>,
  AISDKToolCall,
  AISDKToolResult
>;

/** The conversions of `aiSdk`, of tools and results. */
export interface AISDKParts<Schema> {
  toSchema(schema: object): Schema;
  toTool(tool: ShownTool): AISDKTool<Schema>;
  toOutput(result: ToolCallResult): AISDKToolOutput;
  resultOf(given: unknown): ToolCallResult;
  limits(given: object): CallToolOptions;
  run(call: AISDKToolCall, options?: CallToolOptions): Promise<AISDKToolResult>;
}

const NOTHING_LEFT = 'None of the tools that were found is available any more. Search again.';

/** Keeps a definition from the request (OpenAI) or from the prompt (Anthropic), but not from the AI SDK. */
const HIDDEN = {
  anthropic: { anthropic: { deferLoading: true } },
  openai: { openai: { omitFromRequestTools: true } },
} as const;

export function deferAISDKTools<Schema>(
  provider: AISDKDeferral,
  tools: DeferredTools,
  parts: AISDKParts<Schema>,
): AISDKDeferredTools<Schema> {
  const search = provider === 'openai' ? openaiSearch(tools, parts) : anthropicSearch(tools, parts);
  return {
    get tools() {
      const hidden = [...tools.loaded(), ...tools.unloaded()].map((tool): [string, AISDKTool<Schema>] => [
        tool.name,
        { ...parts.toTool(tool), providerOptions: HIDDEN[provider] },
      ]);
      return Object.fromEntries([...tools.search().map((tool) => [tool.name, search.toTool(tool)]), ...hidden]);
    },
    async run(call, options) {
      const { toolCallId, toolName, input } = Object(call) as AISDKToolCall;
      if (toolName !== SEARCH_TOOL_NAME) return parts.run(call, options);
      return { type: 'tool-result', toolCallId, toolName, output: await search.run(input, options) };
    },
    resume: (messages) => tools.resume(messages),
  };
}

interface Search<Schema> {
  toTool(tool: ShownTool): AISDKTool<Schema> | AISDKToolSearch<Schema>;
  run(input: unknown, options?: CallToolOptions): Promise<AISDKToolOutput>;
}

/** The output of the search stays plain data: an app may store it, and convert it for the model later. */
function anthropicSearch<Schema>(tools: DeferredTools, parts: AISDKParts<Schema>): Search<Schema> {
  function toReferences(result: ToolCallResult): AISDKToolOutput {
    const value = tools.load(foundNames(result)).map(({ name: toolName }) => ({
      type: 'custom',
      providerOptions: { anthropic: { type: 'tool-reference', toolName } },
    }));
    if (value.length > 0) return { type: 'content', value: value as never[] };
    // Of a stored result the view may see nothing any more.
    return foundNames(result).length > 0 ? { type: 'text', value: NOTHING_LEFT } : parts.toOutput(result);
  }
  return {
    toTool: (tool) => ({
      ...parts.toTool(tool),
      execute: async (input: unknown, given: object = {}) => (await tools.find(input, parts.limits(given))).result,
      toModelOutput: (given) => toReferences(parts.resultOf(given)),
    }),
    run: async (input, options) => toReferences((await tools.find(input, options)).result),
  };
}

function openaiSearch<Schema>(tools: DeferredTools, parts: AISDKParts<Schema>): Search<Schema> {
  const find = async (input: unknown, options?: CallToolOptions) => {
    const found = await tools.find(Object(input).arguments, options);
    return { tools: found.tools.map(toFound) };
  };
  return {
    toTool: ({ description, schema }) => ({
      type: 'provider',
      id: 'openai.tool_search',
      isProviderExecuted: false,
      args: { execution: 'client', description, parameters: { ...schema } },
      inputSchema: parts.toSchema({ type: 'object', properties: { arguments: {}, call_id: {} } }),
      execute(input, given) {
        if (!('context' in given)) throw new TypeError("defer: 'openai' needs version 7 of the package ai");
        return find(input, parts.limits(given));
      },
    }),
    run: async (input, options) => ({ type: 'json', value: await find(input, options) }),
  };
}

function toFound(tool: ShownTool): AISDKFoundTools['tools'][number] {
  const { parameters, ...described } = toFunction(tool, {});
  // Definitions of tools are JSON.
  return { type: 'function', ...described, parameters: parameters as Record<string, AISDKJson>, defer_loading: true };
}
