import { optionTable } from '@x/internal/options';
import type { RegistryView } from '../views/view.js';
import { DeferredTools } from './deferred-tools.js';
import type { ModelTools } from './model-tools.js';
import { offerTools } from './offered-tools.js';
import {
  OPENAI_RULES,
  type OpenAIFunction,
  type OpenAIToolOptions,
  openAIRows,
  toFunction,
} from './openai-function.js';
import { dataUrl, MEDIA, markedParts, type ResultPart, textOr } from './result-parts.js';
import type { ShownTool } from './shown-tools.js';

/** A tool of the Responses API. */
export interface OpenAIResponsesTool extends OpenAIFunction {
  type: 'function';
  defer_loading?: true;
}

/** The search of deferred tools, which the app runs. */
export interface OpenAIToolSearch {
  type: 'tool_search';
  execution: 'client';
  description: string;
  parameters: Record<string, unknown>;
}

/** An output item `function_call` of the Responses API. */
export interface OpenAIFunctionCall {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

/** An output item `tool_search_call` of the Responses API. */
export interface OpenAIToolSearchCall {
  readonly type: 'tool_search_call';
  readonly call_id: string | null;
  readonly arguments: unknown;
}

/** The found tools. The API adds their definitions to the end of the prompt. */
export interface OpenAIToolSearchOutput {
  type: 'tool_search_output';
  execution: 'client';
  call_id: string | null;
  status: 'completed' | 'incomplete';
  tools: OpenAIResponsesTool[];
}

/** The result item. */
export interface OpenAIFunctionCallOutput {
  type: 'function_call_output';
  call_id: string;
  output: string | OpenAIOutputPart[];
}

/** A part of a result; `image_url` and `file_data` are data URLs. */
export type OpenAIOutputPart =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }
  | { type: 'input_file'; filename: string; file_data: string };

/** Options of `openaiResponses`. */
export interface OpenAIResponsesOptions extends OpenAIToolOptions {
  /** Offers one search; results of it bring definitions. Default `false`. */
  readonly defer?: boolean | undefined;
}

const toolOptions = optionTable<OpenAIResponsesOptions>()({ ...openAIRows, defer: { kind: 'flag', default: false } });

/** All tools as functions. */
export type OpenAIResponsesDirectTools = ModelTools<
  OpenAIResponsesTool[],
  OpenAIFunctionCall,
  OpenAIFunctionCallOutput
>;
/** The search alone; `run` also runs it. */
export type OpenAIResponsesDeferredTools = ModelTools<
  OpenAIToolSearch[],
  OpenAIFunctionCall | OpenAIToolSearchCall,
  OpenAIFunctionCallOutput | OpenAIToolSearchOutput
>;

/**
 * Tools for OpenAI's Responses API. Results keep images and PDF documents.
 *
 * @throws {TypeError} `view` is not a view, or an option is invalid.
 * @see https://platform.openai.com/docs/guides/function-calling
 */
export function openaiResponses(
  view: RegistryView,
  options?: OpenAIResponsesOptions & { readonly defer?: false | undefined },
): OpenAIResponsesDirectTools;
export function openaiResponses(
  view: RegistryView,
  options: OpenAIResponsesOptions & { readonly defer: true },
): OpenAIResponsesDeferredTools;
export function openaiResponses(
  view: RegistryView,
  options?: OpenAIResponsesOptions,
): OpenAIResponsesDirectTools | OpenAIResponsesDeferredTools {
  const { defer, ...settings } = toolOptions.read(options);
  const offered = offerTools(view, settings, OPENAI_RULES);
  const toTool = (tool: ShownTool): OpenAIResponsesTool => ({ type: 'function', ...toFunction(tool, settings) });
  const direct: OpenAIResponsesDirectTools = {
    get tools() {
      return offered.list().map(toTool);
    },
    async run(call, callOptions) {
      const { call_id, name, arguments: args } = Object(call) as OpenAIFunctionCall;
      const result = await offered.call(name, args, callOptions);
      return { type: 'function_call_output', call_id, output: textOr(markedParts(result, MEDIA), toOutputPart) };
    },
  };
  return defer ? searched(direct, new DeferredTools(view, offered), toTool) : direct;
}

/** The conversation itself has the definitions of loaded tools, so requests define the search alone. */
function searched(
  direct: OpenAIResponsesDirectTools,
  tools: DeferredTools,
  toTool: (tool: ShownTool) => OpenAIResponsesTool,
): OpenAIResponsesDeferredTools {
  return {
    get tools() {
      return tools.search().map(
        ({ description, schema }): OpenAIToolSearch => ({
          type: 'tool_search',
          execution: 'client',
          description,
          parameters: { ...schema },
        }),
      );
    },
    async run(call, callOptions) {
      if (!isSearch(call)) return direct.run(call, callOptions);
      const { call_id, arguments: args } = call;
      const found = await tools.find(args, callOptions);
      return {
        type: 'tool_search_output',
        execution: 'client',
        call_id,
        status: found.result.isError === true ? 'incomplete' : 'completed',
        tools: found.tools.map((tool) => ({ ...toTool(tool), defer_loading: true })),
      };
    },
  };
}

function isSearch(call: OpenAIFunctionCall | OpenAIToolSearchCall): call is OpenAIToolSearchCall {
  return Object(call).type === 'tool_search_call';
}

function toOutputPart(part: ResultPart): OpenAIOutputPart {
  if (part.kind === 'text') return { type: 'input_text', text: part.text };
  if (part.kind === 'document') return { type: 'input_file', filename: part.name, file_data: dataUrl(part) };
  return { type: 'input_image', image_url: dataUrl(part), detail: 'auto' };
}
