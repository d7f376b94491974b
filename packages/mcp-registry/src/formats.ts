// Everything that can be imported from "@x/mcp-registry/formats". A new line here is new public API.
export type {
  AISDKTool,
  AISDKToolCall,
  AISDKToolOptions,
  AISDKToolOutput,
  AISDKToolResult,
} from './formats/ai-sdk.js';
export { aiSdk } from './formats/ai-sdk.js';
export type {
  AnthropicImage,
  AnthropicMediaType,
  AnthropicTool,
  AnthropicToolResult,
  AnthropicToolUse,
} from './formats/anthropic.js';
export { anthropic } from './formats/anthropic.js';
export type { FormatNote, FormatNoteCode, NoteOptions } from './formats/format-note.js';
export type { ModelTools } from './formats/model-tools.js';
export type { OpenAITool, OpenAIToolCall, OpenAIToolMessage } from './formats/openai-chat.js';
export { openaiChat } from './formats/openai-chat.js';
export type { OpenAIFunction, OpenAIToolOptions } from './formats/openai-function.js';
export type {
  OpenAIFunctionCall,
  OpenAIFunctionCallOutput,
  OpenAIOutputPart,
  OpenAIResponsesTool,
} from './formats/openai-responses.js';
export { openaiResponses } from './formats/openai-responses.js';
export type { ShownToolOptions } from './formats/shown-tools.js';
