import type { CallToolOptions, ToolCallResult } from '@x/internal/contracts';
import { milliseconds, optionTable } from '@x/internal/options';
import type { RegistryView } from '../views/view.js';
import { type AISDKDeferral, type AISDKDeferredTools, DEFERRALS, deferAISDKTools } from './ai-sdk-deferred.js';
import type { AISDKTool, AISDKToolCall, AISDKToolOutput, AISDKToolResult } from './ai-sdk-tool.js';
import { DeferredTools } from './deferred-tools.js';
import type { ModelTools } from './model-tools.js';
import { offerTools } from './offered-tools.js';
import { resultParts, resultText } from './result-parts.js';
import { type ShownTool, type ShownToolOptions, shownRows } from './shown-tools.js';

/** Options of `aiSdk`. */
export interface AISDKToolOptions<Schema> extends ShownToolOptions {
  /** `jsonSchema` of the package `ai`. */
  readonly jsonSchema: (schema: never) => Schema;
  /** Longest wait for a tool that the AI SDK runs, in milliseconds. Default: the source's own. */
  readonly timeoutMs?: number | undefined;
  /**
   * Leaves definitions out of the prompt until the model finds them by a search of the registry: with `anthropic`, versions
   * 6 and 7, or with `openai`, version 7. Default: offers all tools.
   */
  readonly defer?: AISDKDeferral | undefined;
}

const toolOptions = optionTable<AISDKToolOptions<unknown>>()({
  ...shownRows,
  jsonSchema: {
    kind: 'other',
    required: true,
    check: (given) => (typeof given === 'function' ? undefined : 'the function of that name of the package ai'),
  },
  timeoutMs: milliseconds,
  defer: { kind: 'word', words: DEFERRALS },
});
const RULES = { maxDescriptionLength: Number.POSITIVE_INFINITY };

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
  const { jsonSchema, timeoutMs, defer, ...shown } = toolOptions.read(options as AISDKToolOptions<unknown>);
  const toSchema = (schema: object) => jsonSchema({ ...schema } as never) as Schema;
  const offered = offerTools(view, shown, RULES);
  let version = isSchemaOfVersion5(toSchema({ type: 'object' })) ? 5 : 6;

  function toOutput(result: ToolCallResult): AISDKToolOutput {
    if (result.isError === true) return { type: 'error-text', value: resultText(result) };
    const parts = resultParts(result);
    if (parts.every(({ kind }) => kind === 'text')) return { type: 'text', value: resultText(result) };
    return {
      type: 'content',
      value: parts.map((part) => (part.kind === 'text' ? { type: 'text', text: part.text } : toImage(version, part))),
    };
  }

  const toTool = ({ name, description, schema }: ShownTool): AISDKTool<Schema> => ({
    type: 'dynamic',
    description,
    inputSchema: toSchema(schema),
    execute(input, given = {}) {
      if ('context' in given) version = 7;
      return offered.call(name, input, limits({ signal: given.abortSignal, timeoutMs }));
    },
    toModelOutput: (given) => toOutput(resultOf(given)),
  });

  const direct: AISDKDirectTools<Schema> = {
    get tools() {
      return Object.fromEntries(offered.list().map((tool) => [tool.name, toTool(tool)]));
    },
    async run({ toolCallId, toolName, input }, callOptions) {
      const result = await offered.call(toolName, input, callOptions);
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
    limits: ({ abortSignal: signal }: { abortSignal?: AbortSignal }) => limits({ signal, timeoutMs }),
    run: direct.run,
  });
}

/** All tools, for `generateText` and `streamText`. */
export type AISDKDirectTools<Schema> = ModelTools<Record<string, AISDKTool<Schema>>, AISDKToolCall, AISDKToolResult>;

/** Each version has a word of its own for images. Version 7 still reads that of version 6, with a warning. */
function toImage(version: number, { data, mediaType }: { readonly data: string; readonly mediaType: string }): object {
  if (version === 5) return { type: 'media', data, mediaType };
  if (version === 6) return { type: 'image-data', data, mediaType };
  return { type: 'file', data: { type: 'data', data }, mediaType };
}

function isSchemaOfVersion5(schema: unknown): boolean {
  return Object.getOwnPropertySymbols(Object(schema)).some(({ description }) => description === 'vercel.ai.validator');
}

function limits({
  signal,
  timeoutMs,
}: {
  signal: AbortSignal | undefined;
  timeoutMs: number | undefined;
}): CallToolOptions {
  return { ...(signal === undefined ? {} : { signal }), ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}

function resultOf(given: unknown): ToolCallResult {
  const whole = Object(given) as ToolCallResult & { output?: ToolCallResult };
  return 'toolCallId' in whole && whole.output !== undefined ? whole.output : whole;
}
