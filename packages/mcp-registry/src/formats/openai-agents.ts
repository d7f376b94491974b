import type { ToolCallResult } from '@x/internal/contracts';
import { optionTable } from '@x/internal/options';
import type { RegistryView } from '../views/view.js';
import type { ModelTools } from './model-tools.js';
import { offerTools } from './offered-tools.js';
import { OPENAI_RULES, type OpenAIToolOptions, openAIRows, toFunction } from './openai-function.js';
import { dataUrl, markedParts, type ResultPart, textOr } from './result-parts.js';
import { acceptedBy, callOptions, type ToolObjectOptions, toolObjectRows } from './tool-objects.js';

/** Options of `openaiAgents`. Agents that use the Chat Completions API accept only text, so set `media: false` for them. */
export interface OpenAIAgentsOptions extends OpenAIToolOptions, ToolObjectOptions {}

/** A function tool of an agent. */
export interface OpenAIAgentsTool {
  type: 'function';
  name: string;
  description: string;
  parameters: OpenAIAgentsSchema;
  strict: boolean;
  /** Calls the tool. Failures, except aborts, are results that begin with `Error:`. */
  invoke: (
    context: unknown,
    input: string,
    details?: { signal?: AbortSignal | undefined },
  ) => Promise<string | OpenAIAgentsOutputPart[]>;
  /** Always resolves with `false`. Set another function for approvals by the agent's user. */
  needsApproval: () => Promise<boolean>;
  /** Always resolves with `true`. */
  isEnabled: () => Promise<boolean>;
}

/** The arguments of a function tool. */
export interface OpenAIAgentsSchema {
  type: 'object';
  properties: Record<string, Record<string, unknown>>;
  required: string[];
  additionalProperties: boolean;
}

/** A part of a function tool's output; `image` is a data URL, `data` is base64. */
export type OpenAIAgentsOutputPart =
  | { type: 'text'; text: string }
  | { type: 'image'; image: string }
  | { type: 'file'; file: { data: string; mediaType: string; filename: string } };

/** An item `function_call` of a run. */
export interface OpenAIAgentsCall {
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
}

/** An item for the input of the next run. */
export interface OpenAIAgentsCallResult {
  type: 'function_call_result';
  name: string;
  callId: string;
  status: 'completed';
  output: string | OpenAIAgentsInputPart[];
}

/** A part of a result; `image` and `file` are data URLs. */
export type OpenAIAgentsInputPart =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image: string }
  | { type: 'input_file'; file: string; filename: string };

const toolOptions = optionTable<OpenAIAgentsOptions>()({ ...openAIRows, ...toolObjectRows });

/**
 * Tools for agents of the package `@openai/agents`. The agent runs them itself; `run` is for tool calls that the app
 * takes out of a run.
 *
 * @throws {TypeError} `view` is not a view, or an option is invalid.
 * @see https://openai.github.io/openai-agents-js/guides/tools/
 */
export function openaiAgents(
  view: RegistryView,
  options?: OpenAIAgentsOptions,
): ModelTools<OpenAIAgentsTool[], OpenAIAgentsCall, OpenAIAgentsCallResult> {
  const settings = toolOptions.read(options);
  const offered = offerTools(view, settings, OPENAI_RULES);
  const partsOf = (result: ToolCallResult) => markedParts(result, acceptedBy(settings));
  return {
    get tools() {
      return offered.list().map((tool): OpenAIAgentsTool => {
        const { parameters, ...rest } = toFunction(tool, settings);
        return {
          type: 'function',
          ...rest,
          parameters: { additionalProperties: true, required: [], ...parameters } as unknown as OpenAIAgentsSchema,
          async invoke(_, input, { signal } = {}) {
            const parts = partsOf(await offered.call(tool.name, input, callOptions(settings, signal)));
            return textOr(parts, toOutputPart);
          },
          needsApproval: async () => false,
          isEnabled: async () => true,
        };
      });
    },
    async run(call, given) {
      const { callId, name, arguments: input } = Object(call) as OpenAIAgentsCall;
      const parts = partsOf(await offered.call(name, input, given));
      return { type: 'function_call_result', name, callId, status: 'completed', output: textOr(parts, toInputPart) };
    },
  };
}

function toOutputPart(part: ResultPart): OpenAIAgentsOutputPart {
  if (part.kind === 'text') return { type: 'text', text: part.text };
  if (part.kind === 'image') return { type: 'image', image: dataUrl(part) };
  return { type: 'file', file: { data: part.data, mediaType: part.mediaType, filename: part.name } };
}

function toInputPart(part: ResultPart): OpenAIAgentsInputPart {
  if (part.kind === 'text') return { type: 'input_text', text: part.text };
  if (part.kind === 'image') return { type: 'input_image', image: dataUrl(part) };
  return { type: 'input_file', file: dataUrl(part), filename: part.name };
}
