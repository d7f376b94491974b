import type {
  Tool as AnthropicApiTool,
  ToolResultBlockParam,
  ToolUseBlock,
} from '@anthropic-ai/sdk/resources/messages';
import { jsonSchema, type ToolResultPart, type ToolSet, type TypedToolCall } from 'ai';
import type {
  ChatCompletionMessageToolCall,
  ChatCompletionTool,
  ChatCompletionToolMessageParam,
} from 'openai/resources/chat/completions';
import type { FunctionTool, ResponseFunctionToolCall, ResponseInputItem } from 'openai/resources/responses/responses';
import { expectTypeOf, test } from 'vitest';
import { aiSdk, anthropic, openaiChat, openaiResponses } from '../../src/formats.js';
import type { RegistryView } from '../../src/index.js';

declare const view: RegistryView;

test('tools, calls and messages of openaiChat are those of the package openai', () => {
  const chat = openaiChat(view);
  expectTypeOf(chat.tools).toExtend<ChatCompletionTool[]>();
  expectTypeOf(chat.run).toBeCallableWith({} as Extract<ChatCompletionMessageToolCall, { type: 'function' }>);
  expectTypeOf(chat.run).returns.resolves.toExtend<ChatCompletionToolMessageParam>();
});

test('tools, calls and items of openaiResponses are those of the package openai', () => {
  const responses = openaiResponses(view);
  expectTypeOf(responses.tools).toExtend<FunctionTool[]>();
  expectTypeOf(responses.run).toBeCallableWith({} as ResponseFunctionToolCall);
  expectTypeOf(responses.run).returns.resolves.toExtend<ResponseInputItem>();
});

test('tools, calls and blocks of anthropic are those of the package @anthropic-ai/sdk', () => {
  const messages = anthropic(view);
  expectTypeOf(messages.tools).toExtend<AnthropicApiTool[]>();
  expectTypeOf(messages.run).toBeCallableWith({} as ToolUseBlock);
  expectTypeOf(messages.run).returns.resolves.toExtend<ToolResultBlockParam>();
});

test('tools, calls and parts of aiSdk are those of the package ai', () => {
  const ai = aiSdk(view, { jsonSchema });
  expectTypeOf(ai.tools).toExtend<ToolSet>();
  expectTypeOf(ai.run).toBeCallableWith({} as TypedToolCall<ToolSet>);
  expectTypeOf(ai.run).returns.resolves.toExtend<ToolResultPart>();
});
