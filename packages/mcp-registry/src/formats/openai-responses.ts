import type { RegistryView } from '../views/view.js';
import type { ModelTools } from './model-tools.js';
import { offerTools } from './offered-tools.js';
import {
  markFailure,
  OPENAI_RULES,
  type OpenAIFunction,
  type OpenAIToolOptions,
  openAIOptions,
  toFunction,
} from './openai-function.js';
import { type ResultPart, resultParts, resultText } from './result-parts.js';

/** A tool of the Responses API. */
export interface OpenAIResponsesTool extends OpenAIFunction {
  type: 'function';
}

/** An output item `function_call` of the Responses API. */
export interface OpenAIFunctionCall {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

/** The result item. */
export interface OpenAIFunctionCallOutput {
  type: 'function_call_output';
  call_id: string;
  output: string | OpenAIOutputPart[];
}

/** A part of a result; `image_url` is a data URL. */
export type OpenAIOutputPart =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' };

/**
 * Tools for OpenAI's Responses API. Results keep their images.
 *
 * @throws {TypeError} `view` is not a view, or an option is invalid.
 * @see https://platform.openai.com/docs/guides/function-calling
 */
export function openaiResponses(
  view: RegistryView,
  options?: OpenAIToolOptions,
): ModelTools<OpenAIResponsesTool[], OpenAIFunctionCall, OpenAIFunctionCallOutput> {
  const settings = openAIOptions.read(options);
  const offered = offerTools(view, settings, OPENAI_RULES);
  return {
    get tools() {
      return offered.list().map((tool): OpenAIResponsesTool => ({ type: 'function', ...toFunction(tool, settings) }));
    },
    async run(call, callOptions) {
      const { call_id, name, arguments: args } = Object(call) as OpenAIFunctionCall;
      const result = await offered.call(name, args, callOptions);
      const parts = resultParts(result);
      const output = parts.every(({ kind }) => kind === 'text')
        ? markFailure(resultText(result), result.isError)
        : parts.map(toOutputPart);
      return { type: 'function_call_output', call_id, output };
    },
  };
}

function toOutputPart(part: ResultPart): OpenAIOutputPart {
  if (part.kind === 'text') return { type: 'input_text', text: part.text };
  return { type: 'input_image', image_url: `data:${part.mediaType};base64,${part.data}`, detail: 'auto' };
}
