import type { CallToolOptions } from '@x/internal/contracts';
import { optionTable } from '@x/internal/options';
import type { RegistryView } from '../views/view.js';
import { runModelCall } from './model-call.js';
import { resultParts, resultText } from './result-parts.js';
import { type ShownTool, type ShownToolOptions, shownRows, shownTools } from './shown-tools.js';
import { toStrictSchema } from './strict-schema.js';

/** Options of tools for the OpenAI API. */
export interface OpenAIToolOptions extends ShownToolOptions {
  /**
   * Makes the API enforce the schema. Optional arguments become required and may be `null`, which `callFromOpenAI`
   * removes. Tools that cannot be expressed stay unchanged. Default `false`.
   */
  readonly strict?: boolean | undefined;
  /** Longest description, in UTF-16 code units. `Infinity` for no limit. Default 1024. */
  readonly maxDescriptionLength?: number | undefined;
}

/** A tool of the Chat Completions API. */
export interface OpenAITool {
  type: 'function';
  function: { name: string; description: string; parameters: Record<string, unknown>; strict: boolean };
}

/** A tool of the Responses API. */
export interface OpenAIResponsesTool {
  type: 'function';
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  strict: boolean;
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
  output:
    | string
    | ({ type: 'input_text'; text: string } | { type: 'input_image'; image_url: string; detail: 'auto' })[];
}

const RULES = { maxDescriptionLength: 1_024 };
const toolOptions = optionTable<OpenAIToolOptions>()({ ...shownRows, strict: { kind: 'flag', default: false } });

/**
 * Tools for the Chat Completions API.
 *
 * @see https://platform.openai.com/docs/guides/function-calling
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function toOpenAITools(view: RegistryView, options?: OpenAIToolOptions): OpenAITool[] {
  const settings = toolOptions.read(options);
  return shownTools(view, settings, RULES).map((tool) => ({ type: 'function', function: toFunction(tool, settings) }));
}

/** Tools for the Responses API. */
export function toOpenAIResponsesTools(view: RegistryView, options?: OpenAIToolOptions): OpenAIResponsesTool[] {
  const settings = toolOptions.read(options);
  return shownTools(view, settings, RULES).map((tool) => ({ type: 'function', ...toFunction(tool, settings) }));
}

function toFunction({ name, description, schema, report }: ShownTool, { strict = false }: OpenAIToolOptions) {
  const strictSchema = strict ? toStrictSchema(schema, report) : undefined;
  return { name, description, parameters: { ...(strictSchema ?? schema) }, strict: strictSchema !== undefined };
}

/**
 * Runs a model's tool call. The message also reports failures, including invalid JSON. Images are only mentioned,
 * because the API accepts text.
 *
 * @throws The reason of `options.signal` when it aborts.
 */
export async function callFromOpenAI(
  view: RegistryView,
  { id, function: called }: OpenAIToolCall,
  options?: CallToolOptions,
): Promise<OpenAIToolMessage> {
  const { name, arguments: args } = Object(called) as OpenAIToolCall['function'];
  const result = await runModelCall(view, name, args, options);
  return { role: 'tool', tool_call_id: id, content: marked(resultText(result), result.isError) };
}

/** As `callFromOpenAI`, for the Responses API and with images. */
export async function callFromOpenAIResponses(
  view: RegistryView,
  { call_id, name, arguments: args }: OpenAIFunctionCall,
  options?: CallToolOptions,
): Promise<OpenAIFunctionCallOutput> {
  const result = await runModelCall(view, name, args, options);
  const parts = resultParts(result);
  if (!parts.some(({ kind }) => kind === 'image')) {
    return { type: 'function_call_output', call_id, output: marked(resultText(result), result.isError) };
  }
  const output = parts.map((part) =>
    part.kind === 'text'
      ? { type: 'input_text' as const, text: part.text }
      : {
          type: 'input_image' as const,
          image_url: `data:${part.mediaType};base64,${part.data}`,
          detail: 'auto' as const,
        },
  );
  return { type: 'function_call_output', call_id, output };
}

/** The API has no field for a failure. */
function marked(text: string, isError: boolean | undefined): string {
  return isError === true ? `Error: ${text}` : text;
}
