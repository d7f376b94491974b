import type { ToolSet } from '@x/mcp';
import { aiSdk } from '@x/mcp/models';
import { isStepCount, jsonSchema, type LanguageModel, type ModelMessage, streamText } from 'ai';

export interface ChatOptions {
  readonly model: LanguageModel;
  readonly tools: ToolSet;
  readonly onText: (text: string) => void;
  readonly onCall: (tool: string) => void;
}

// #region chat
/** A conversation with a model that uses the tools of one role. */
export class Chat {
  readonly #options: ChatOptions;
  readonly #messages: ModelMessage[] = [];

  constructor(options: ChatOptions) {
    this.#options = options;
  }

  /** Streams the answer. Resolves when it is complete; rejects with the reason of `signal`, and forgets the message. */
  async send(content: string, signal?: AbortSignal): Promise<void> {
    const { model, tools, onText, onCall } = this.#options;
    const question: ModelMessage = { role: 'user', content };
    const answer = streamText({
      model,
      tools: aiSdk(tools, { jsonSchema }).tools, // read for each message: tools come and go
      messages: [...this.#messages, question],
      stopWhen: isStepCount(10),
      ...(signal && { abortSignal: signal }), // reaches the MCP server
    });
    for await (const part of answer.stream) {
      if (part.type === 'text-delta') onText(part.text);
      if (part.type === 'tool-call') onCall(part.toolName);
      if (part.type === 'error') throw part.error;
    }
    signal?.throwIfAborted();
    this.#messages.push(question, ...(await answer.responseMessages));
  }
}
// #endregion chat
