// Everything that can be imported from "@x/mcp-registry/formats". A new line here is new public API.
export type { AISDKTool, AISDKToolOptions, AISDKToolOutput } from './formats/ai-sdk.js';
export { toAISDKTools } from './formats/ai-sdk.js';
export type {
  AnthropicImage,
  AnthropicMediaType,
  AnthropicTool,
  AnthropicToolResult,
  AnthropicToolUse,
} from './formats/anthropic.js';
export { callFromAnthropic, toAnthropicTools } from './formats/anthropic.js';
export type { FormatNote, FormatNoteCode, NoteOptions } from './formats/format-note.js';
export type {
  OpenAIFunctionCall,
  OpenAIFunctionCallOutput,
  OpenAIResponsesTool,
  OpenAITool,
  OpenAIToolCall,
  OpenAIToolMessage,
  OpenAIToolOptions,
} from './formats/openai.js';
export {
  callFromOpenAI,
  callFromOpenAIResponses,
  toOpenAIResponsesTools,
  toOpenAITools,
} from './formats/openai.js';
export type { ShownToolOptions } from './formats/shown-tools.js';
