import type { ToolCallResult } from '@x/internal/contracts';

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
  /** Keeps a deferred tool from the prompt. */
  providerOptions?: Record<string, Record<string, boolean>>;
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
  | { type: 'json'; value: AISDKFoundTools }
  /** `value` has objects, which fit every version's types as `never`: these have none in common for a part with data. */
  | { type: 'content'; value: never[] };

/** Found tools in the form of OpenAI's API. */
export type AISDKFoundTools = { tools: { [field: string]: AISDKJson }[] };

/** As the AI SDK has it. */
export type AISDKJson = null | string | number | boolean | AISDKJson[] | { [key: string]: AISDKJson };
