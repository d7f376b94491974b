import type { CallToolOptions, ToolCallResult } from '@x/internal/contracts';
import { milliseconds, optionTable } from '@x/internal/options';
import type { RegistryView } from '../views/view.js';
import type { ModelTools } from './model-tools.js';
import { offerTools } from './offered-tools.js';
import { resultParts, resultText } from './result-parts.js';
import { type ShownToolOptions, shownRows } from './shown-tools.js';

/** Options of `aiSdk`. */
export interface AISDKToolOptions<Schema> extends ShownToolOptions {
  /** `jsonSchema` of the package `ai`. */
  readonly jsonSchema: (schema: never) => Schema;
  /** Longest wait for a tool that the AI SDK runs, in milliseconds. Default: the source's own. */
  readonly timeoutMs?: number | undefined;
}

const toolOptions = optionTable<AISDKToolOptions<unknown>>()({
  ...shownRows,
  jsonSchema: {
    kind: 'other',
    required: true,
    check: (given) => (typeof given === 'function' ? undefined : 'the function of that name of the package ai'),
  },
  timeoutMs: milliseconds,
});
const RULES = { maxDescriptionLength: Number.POSITIVE_INFINITY };

/** A tool for `generateText` and `streamText`. */
export interface AISDKTool<Schema> {
  type: 'dynamic';
  description: string;
  inputSchema: Schema;
  /** Calls the tool. Failures, except aborts, are results with `isError`. */
  execute: (
    input: unknown,
    options: { abortSignal?: AbortSignal | undefined; context?: unknown },
  ) => Promise<ToolCallResult>;
  /** Converts a result of `execute` for a model. Accepts the result (version 5), or an object with `output` (later ones). */
  toModelOutput: (given: unknown) => AISDKToolOutput;
}

/** A tool call of the AI SDK. */
export interface AISDKToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/** A part of the `content` of a message with the role `tool`. */
export interface AISDKToolResult {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: AISDKToolOutput;
}

/** A result in the AI SDK's form for a model. */
export type AISDKToolOutput =
  | { type: 'text'; value: string }
  | { type: 'error-text'; value: string }
  // biome-ignore lint/suspicious/noExplicitAny: the versions have no type in common for a part with data
  | { type: 'content'; value: any[] };

/**
 * Tools for the AI SDK, versions 5 to 7. It runs them itself; `run` is for loops of one's own.
 *
 * @throws {TypeError} `view` is not a view, or an option is invalid.
 * @see https://ai-sdk.dev/docs/ai-sdk-core/tools-and-tool-calling
 */
export function aiSdk<Schema>(
  view: RegistryView,
  options: AISDKToolOptions<Schema>,
): ModelTools<Record<string, AISDKTool<Schema>>, AISDKToolCall, AISDKToolResult> {
  const { jsonSchema, timeoutMs, ...shown } = toolOptions.read(options as AISDKToolOptions<unknown>);
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

  return {
    get tools() {
      const tools = offered.list().map(({ name, description, schema }): [string, AISDKTool<Schema>] => [
        name,
        {
          type: 'dynamic',
          description,
          inputSchema: toSchema(schema),
          execute(input, given = {}) {
            if ('context' in given) version = 7;
            return offered.call(name, input, limits({ signal: given.abortSignal, timeoutMs }));
          },
          toModelOutput: (given) => toOutput(resultOf(given)),
        },
      ]);
      return Object.fromEntries(tools);
    },
    async run(call, callOptions) {
      const { toolCallId, toolName, input } = Object(call) as AISDKToolCall;
      const result = await offered.call(toolName, input, callOptions);
      return { type: 'tool-result', toolCallId, toolName, output: toOutput(result) };
    },
  };
}

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
