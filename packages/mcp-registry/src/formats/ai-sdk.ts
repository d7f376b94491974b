import type { CallToolOptions, ToolCallResult } from '@x/internal/contracts';
import { milliseconds, optionTable } from '@x/internal/options';
import type { RegistryView } from '../views/view.js';
import { runModelCall } from './model-call.js';
import { resultParts, resultText } from './result-parts.js';
import { type ShownToolOptions, shownRows, shownTools } from './shown-tools.js';

/** Options of `toAISDKTools`. */
export interface AISDKToolOptions<Schema> extends ShownToolOptions {
  /** `jsonSchema` of the package `ai`. */
  readonly jsonSchema: (schema: never) => Schema;
  /** Longest wait for a tool, in milliseconds. Default: the source's own. */
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

/** A tool for `generateText` and `streamText`. */
export interface AISDKTool<Schema> {
  type: 'dynamic';
  description: string;
  inputSchema: Schema;
  /** Calls the tool. Failures, except aborts, are results with `isError`. */
  execute: (input: unknown, options: { abortSignal?: AbortSignal | undefined }) => Promise<ToolCallResult>;
  /** Converts a result of `execute` for a model. Accepts the result (version 5), or an object with `output` (version 6). */
  toModelOutput: (given: unknown) => AISDKToolOutput;
}

/** A result in the AI SDK's form for a model. */
export type AISDKToolOutput =
  | { type: 'text'; value: string }
  | { type: 'error-text'; value: string }
  | {
      type: 'content';
      value: ({ type: 'text'; text: string } | { type: 'media'; data: string; mediaType: string })[];
    };

/**
 * Tools for the AI SDK, versions 5 and 6. Each runs its own calls.
 *
 * @see https://ai-sdk.dev/docs/ai-sdk-core/tools-and-tool-calling
 */
export function toAISDKTools<Schema>(
  view: RegistryView,
  options: AISDKToolOptions<Schema>,
): Record<string, AISDKTool<Schema>> {
  const { jsonSchema, timeoutMs, ...shown } = toolOptions.read(options as AISDKToolOptions<unknown>);
  const tools = shownTools(view, shown, { maxDescriptionLength: Number.POSITIVE_INFINITY });
  return Object.fromEntries(
    tools.map(({ name, description, schema }): [string, AISDKTool<Schema>] => [
      name,
      {
        type: 'dynamic',
        description,
        inputSchema: jsonSchema({ ...schema } as never) as Schema,
        execute: (input, { abortSignal: signal } = {}) =>
          runModelCall(view, name, input, limits({ signal, timeoutMs })),
        toModelOutput,
      },
    ]),
  );
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

function toModelOutput(given: unknown): AISDKToolOutput {
  const whole = Object(given) as ToolCallResult;
  const result = 'toolCallId' in whole && 'output' in whole ? (whole.output as ToolCallResult) : whole;
  if (result.isError === true) return { type: 'error-text', value: resultText(result) };
  const parts = resultParts(result);
  if (parts.every(({ kind }) => kind === 'text')) return { type: 'text', value: resultText(result) };
  const value = parts.map((part) =>
    part.kind === 'text'
      ? { type: 'text' as const, text: part.text }
      : { type: 'media' as const, data: part.data, mediaType: part.mediaType },
  );
  return { type: 'content', value };
}
