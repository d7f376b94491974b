import type { RegistryView } from '../views/view.js';
import type { ModelTools } from './model-tools.js';
import { offerTools } from './offered-tools.js';
import {
  OPENAI_RULES,
  type OpenAIFunction,
  type OpenAIToolOptions,
  openAIOptions,
  toFunction,
} from './openai-function.js';
import { markedParts, TEXT_ONLY, textOf } from './result-parts.js';

/** A tool of the Chat Completions API. */
export interface OpenAITool {
  type: 'function';
  function: OpenAIFunction;
}

/** A tool call of the Chat Completions API. */
export interface OpenAIToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** The result message. */
export interface OpenAIToolMessage {
  role: 'tool';
  tool_call_id: string;
  content: string;
}

/**
 * Tools for OpenAI's Chat Completions API. Results mention images and other media, because the API accepts text alone.
 *
 * @throws {TypeError} `view` is not a view, or an option is invalid.
 * @see https://platform.openai.com/docs/guides/function-calling?api-mode=chat
 */
export function openaiChat(
  view: RegistryView,
  options?: OpenAIToolOptions,
): ModelTools<OpenAITool[], OpenAIToolCall, OpenAIToolMessage> {
  const settings = openAIOptions.read(options);
  const offered = offerTools(view, settings, OPENAI_RULES);
  return {
    get tools() {
      return offered.list().map((tool): OpenAITool => ({ type: 'function', function: toFunction(tool, settings) }));
    },
    async run(call, callOptions) {
      const { id, function: called } = Object(call) as OpenAIToolCall;
      const { name, arguments: args } = Object(called) as OpenAIToolCall['function'];
      const result = await offered.call(name, args, callOptions);
      return { role: 'tool', tool_call_id: id, content: textOf(markedParts(result, TEXT_ONLY)) };
    },
  };
}
