import type { ToolCallResult } from '@x/internal/contracts';
import { optionTable } from '@x/internal/options';
import type { RegistryView } from '../views/view.js';
import { type AISDKDeferral, type AISDKDeferredTools, DEFERRALS, deferAISDKTools } from './ai-sdk-deferred.js';
import type { AISDKTool, AISDKToolCall, AISDKToolOutput, AISDKToolResult } from './ai-sdk-tool.js';
import { DeferredTools } from './deferred-tools.js';
import type { ModelTools } from './model-tools.js';
import { offerTools } from './offered-tools.js';
import { isText, type ResultPart, resultParts, resultText, textOf } from './result-parts.js';
import type { ShownTool } from './shown-tools.js';
import { acceptedBy, callOptions, type ToolObjectOptions, toolObjectRows } from './tool-objects.js';

/**
 * Options of `aiSdk`. Providers for the Chat Completions API write media into results as text, so set `media: false` for
 * them.
 */
export interface AISDKToolOptions<Schema> extends ToolObjectOptions {
  /** `jsonSchema` of the package `ai`. */
  readonly jsonSchema: (schema: never) => Schema;
  /**
   * Leaves definitions out of the prompt until the model finds them by a search of the registry: with `anthropic`, versions
   * 6 and 7, or with `openai`, version 7. Default: offers all tools.
   */
  readonly defer?: AISDKDeferral | undefined;
}

const toolOptions = optionTable<AISDKToolOptions<unknown>>()({
  ...toolObjectRows,
  jsonSchema: {
    kind: 'other',
    required: true,
    check: (given) => (typeof given === 'function' ? undefined : 'the function of that name of the package ai'),
  },
  defer: { kind: 'word', words: DEFERRALS },
});

/**
 * Tools for the AI SDK, versions 5 to 7. It runs them itself; `run` is for loops of one's own.
 *
 * @throws {TypeError} `view` is not a view, or an option is invalid.
 * @see https://ai-sdk.dev/docs/ai-sdk-core/tools-and-tool-calling
 */
export function aiSdk<Schema>(
  view: RegistryView,
  options: AISDKToolOptions<Schema> & { readonly defer?: undefined },
): AISDKDirectTools<Schema>;
export function aiSdk<Schema>(
  view: RegistryView,
  options: AISDKToolOptions<Schema> & { readonly defer: AISDKDeferral },
): AISDKDeferredTools<Schema>;
export function aiSdk<Schema>(
  view: RegistryView,
  options: AISDKToolOptions<Schema>,
): AISDKDirectTools<Schema> | AISDKDeferredTools<Schema> {
  const { jsonSchema, defer, ...settings } = toolOptions.read(options as AISDKToolOptions<unknown>);
  const toSchema = (schema: object) => jsonSchema({ ...schema } as never) as Schema;
  const offered = offerTools(view, settings, {});
  let version = isSchemaOfVersion5(toSchema({ type: 'object' })) ? 5 : 6;

  function toOutput(result: ToolCallResult): AISDKToolOutput {
    if (result.isError === true) return { type: 'error-text', value: resultText(result) };
    const parts = resultParts(result, acceptedBy(settings));
    if (isText(parts)) return { type: 'text', value: textOf(parts) };
    return { type: 'content', value: parts.map((part) => toPart(part, version) as never) };
  }

  const toTool = ({ name, description, schema }: ShownTool): AISDKTool<Schema> => ({
    type: 'dynamic',
    description,
    inputSchema: toSchema(schema),
    execute(input, given = {}) {
      if ('context' in given) version = 7;
      return offered.call(name, input, callOptions(settings, given.abortSignal));
    },
    toModelOutput: (given) => toOutput(resultOf(given)),
  });

  const direct: AISDKDirectTools<Schema> = {
    get tools() {
      return Object.fromEntries(offered.list().map((tool) => [tool.name, toTool(tool)]));
    },
    async run(call, given) {
      const { toolCallId, toolName, input } = Object(call) as AISDKToolCall;
      const result = await offered.call(toolName, input, given);
      return { type: 'tool-result', toolCallId, toolName, output: toOutput(result) };
    },
  };
  if (defer === undefined) return direct;
  if (version === 5)
    throw new TypeError('defer needs version 6 or 7 of the package ai, and jsonSchema is of version 5');
  return deferAISDKTools(defer, new DeferredTools(view, offered), {
    toSchema,
    toTool,
    toOutput,
    resultOf,
    limits: ({ abortSignal }: { abortSignal?: AbortSignal }) => callOptions(settings, abortSignal),
    run: direct.run,
  });
}

/** All tools, for `generateText` and `streamText`. */
export type AISDKDirectTools<Schema> = ModelTools<Record<string, AISDKTool<Schema>>, AISDKToolCall, AISDKToolResult>;

/** Each version has its own word for media. Version 7 still reads those of version 6, with a warning. */
function toPart(part: ResultPart, version: number): object {
  if (part.kind === 'text') return { type: 'text', text: part.text };
  const { kind, data, mediaType } = part;
  const named = kind === 'document' ? { mediaType, filename: part.name } : { mediaType };
  if (version === 5) return { type: 'media', data, mediaType };
  if (version === 6) return { type: kind === 'image' ? 'image-data' : 'file-data', data, ...named };
  return { type: 'file', data: { type: 'data', data }, ...named };
}

function isSchemaOfVersion5(schema: unknown): boolean {
  return Object.getOwnPropertySymbols(Object(schema)).some(({ description }) => description === 'vercel.ai.validator');
}

function resultOf(given: unknown): ToolCallResult {
  const whole = Object(given) as ToolCallResult & { output?: ToolCallResult };
  const result: unknown = Array.isArray(whole.content) ? whole : whole.output;
  if (Array.isArray(Object(result).content)) return result as ToolCallResult;
  const text = typeof result === 'string' ? result : (JSON.stringify(result) ?? '');
  return { content: [{ type: 'text', text }] };
}
