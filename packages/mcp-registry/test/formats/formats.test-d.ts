import type { Tool as AnthropicApiTool, MessageParam } from '@anthropic-ai/sdk/resources/messages';
import { jsonSchema, type ToolSet } from 'ai';
import type {
  ChatCompletionMessageToolCall,
  ChatCompletionTool,
  ChatCompletionToolMessageParam,
} from 'openai/resources/chat/completions';
import type { FunctionTool, ResponseFunctionToolCall, ResponseInputItem } from 'openai/resources/responses/responses';
import { expectTypeOf, test } from 'vitest';
import {
  type AnthropicTool,
  type AnthropicToolResult,
  type AnthropicToolUse,
  callFromAnthropic,
  callFromOpenAI,
  type OpenAIFunctionCall,
  type OpenAIFunctionCallOutput,
  type OpenAIResponsesTool,
  type OpenAITool,
  type OpenAIToolCall,
  type OpenAIToolMessage,
  toAISDKTools,
} from '../../src/formats.js';
import type { RegistryView } from '../../src/index.js';

declare const view: RegistryView;

test('tools and messages are those of the package openai', () => {
  expectTypeOf<OpenAITool>().toExtend<ChatCompletionTool>();
  expectTypeOf<OpenAIToolMessage>().toExtend<ChatCompletionToolMessageParam>();
  expectTypeOf<Extract<ChatCompletionMessageToolCall, { type: 'function' }>>().toExtend<OpenAIToolCall>();
  expectTypeOf<OpenAIResponsesTool>().toExtend<FunctionTool>();
  expectTypeOf<ResponseFunctionToolCall>().toExtend<OpenAIFunctionCall>();
  expectTypeOf<OpenAIFunctionCallOutput>().toExtend<ResponseInputItem>();
  expectTypeOf(callFromOpenAI).parameter(1).toEqualTypeOf<OpenAIToolCall>();
});

test('tools and blocks are those of the package @anthropic-ai/sdk', () => {
  expectTypeOf<AnthropicTool>().toExtend<AnthropicApiTool>();
  expectTypeOf<{ role: 'user'; content: AnthropicToolResult[] }>().toExtend<MessageParam>();
  expectTypeOf(callFromAnthropic).parameter(1).toEqualTypeOf<AnthropicToolUse>();
});

test('tools are those of the package ai', () => {
  expectTypeOf(toAISDKTools(view, { jsonSchema })).toExtend<ToolSet>();
});
