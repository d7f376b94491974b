import type { ToolCallResult } from '@x/internal/contracts';
import { optionTable } from '@x/internal/options';
import type { RegistryView } from '../views/view.js';
import type { ModelTools } from './model-tools.js';
import { offerTools } from './offered-tools.js';
import { dataUrl, type ResultPart, resultParts, resultText, textOr } from './result-parts.js';
import { acceptedBy, callOptions, type ToolObjectOptions, toolObjectRows } from './tool-objects.js';

/** Options of `langchain`. Models of `@langchain/openai` accept only text in results, so set `media: false` for them. */
export interface LangChainToolOptions<Tool> extends ToolObjectOptions {
  /** The class of that name of `@langchain/core/tools`. */
  readonly DynamicStructuredTool: new (
    fields: LangChainToolFields,
  ) => Tool;
}

/** The definition of a tool for LangChain. */
export interface LangChainToolFields {
  name: string;
  description: string;
  schema: { type: 'object'; [keyword: string]: unknown };
  responseFormat: 'content_and_artifact';
  /** Calls the tool. A failure is thrown, and LangChain makes a message with the status `error` of it. */
  func: (
    input: unknown,
    runManager?: unknown,
    config?: { signal?: AbortSignal | undefined },
  ) => Promise<[LangChainContent, ToolCallResult]>;
}

/** Text, or content blocks. */
export type LangChainContent = string | LangChainBlock[];

/** A content block; `url` is a data URL, `data` is base64. */
export type LangChainBlock =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'file'; mimeType: string; data: string };

/** An entry of `tool_calls` of a message. */
export interface LangChainToolCall {
  readonly id?: string | undefined;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A message that LangChain converts to a `ToolMessage`. */
export interface LangChainToolMessage {
  role: 'tool';
  tool_call_id: string;
  name: string;
  status: 'success' | 'error';
  content: LangChainContent;
  /** The whole result, with `structuredContent`. Not sent to the model. */
  artifact: ToolCallResult;
  [field: string]: unknown;
}

const toolOptions = optionTable<LangChainToolOptions<unknown>>()({
  ...toolObjectRows,
  DynamicStructuredTool: {
    kind: 'other',
    required: true,
    check: (given) => (typeof given === 'function' ? undefined : 'the class of that name of @langchain/core/tools'),
  },
});

/**
 * Tools for LangChain: `createAgent`, `bindTools` and the nodes of LangGraph. LangChain runs them; `run` is for loops of
 * one's own.
 *
 * @throws {TypeError} `view` is not a view, or an option is invalid.
 * @see https://docs.langchain.com/oss/javascript/langchain/tools
 */
export function langchain<Tool>(
  view: RegistryView,
  options: LangChainToolOptions<Tool>,
): ModelTools<Tool[], LangChainToolCall, LangChainToolMessage> {
  const { DynamicStructuredTool, ...settings } = toolOptions.read(options);
  const offered = offerTools(view, settings, {});
  const contentOf = (result: ToolCallResult) => textOr(resultParts(result, acceptedBy(settings)), toBlock);
  return {
    get tools() {
      return offered.list().map(({ name, description, schema }) => {
        const fields: LangChainToolFields = {
          name,
          description,
          schema: { ...schema },
          responseFormat: 'content_and_artifact',
          async func(input, _, { signal } = {}) {
            const result = await offered.call(name, input, callOptions(settings, signal));
            if (result.isError === true) throw new Error(resultText(result));
            return [contentOf(result), result];
          },
        };
        return new DynamicStructuredTool(fields) as Tool;
      });
    },
    async run(call, given) {
      const { id = '', name, args } = Object(call) as LangChainToolCall;
      const result = await offered.call(name, args, given);
      const status = result.isError === true ? 'error' : 'success';
      return { role: 'tool', tool_call_id: id, name, status, content: contentOf(result), artifact: result };
    },
  };
}

/** LangChain's packages convert `image_url` for most models. */
function toBlock(part: ResultPart): LangChainBlock {
  if (part.kind === 'text') return { type: 'text', text: part.text };
  if (part.kind === 'image') return { type: 'image_url', image_url: { url: dataUrl(part) } };
  return { type: 'file', mimeType: part.mediaType, data: part.data };
}
