// Everything that can be imported from "@x/mcp-registry/formats". A new line here is new public API.
export type { AISDKDirectTools, AISDKToolOptions } from './formats/ai-sdk.js';
export { aiSdk } from './formats/ai-sdk.js';
export type { AISDKDeferral, AISDKDeferredTools, AISDKToolSearch } from './formats/ai-sdk-deferred.js';
export type {
  AISDKFoundTools,
  AISDKJson,
  AISDKTool,
  AISDKToolCall,
  AISDKToolOutput,
  AISDKToolResult,
} from './formats/ai-sdk-tool.js';
export type {
  AnthropicDeferredTools,
  AnthropicDirectTools,
  AnthropicDocument,
  AnthropicImage,
  AnthropicMediaType,
  AnthropicOptions,
  AnthropicResultPart,
  AnthropicTool,
  AnthropicToolReferences,
  AnthropicToolResult,
  AnthropicToolUse,
} from './formats/anthropic.js';
export { anthropic } from './formats/anthropic.js';
export type { FormatNote, FormatNoteCode, NoteOptions } from './formats/format-note.js';
export type {
  GoogleFunctionCall,
  GoogleFunctionDeclaration,
  GoogleResponsePart,
  GoogleTool,
  GoogleToolOptions,
} from './formats/google.js';
export { google } from './formats/google.js';
export type {
  LangChainBlock,
  LangChainContent,
  LangChainToolCall,
  LangChainToolFields,
  LangChainToolMessage,
  LangChainToolOptions,
} from './formats/langchain.js';
export { langchain } from './formats/langchain.js';
export type { DeferredModelTools, ModelTools } from './formats/model-tools.js';
export type {
  OpenAIAgentsCall,
  OpenAIAgentsCallResult,
  OpenAIAgentsInputPart,
  OpenAIAgentsOptions,
  OpenAIAgentsOutputPart,
  OpenAIAgentsSchema,
  OpenAIAgentsTool,
} from './formats/openai-agents.js';
export { openaiAgents } from './formats/openai-agents.js';
export type { OpenAITool, OpenAIToolCall, OpenAIToolMessage } from './formats/openai-chat.js';
export { openaiChat } from './formats/openai-chat.js';
export type { OpenAIFunction, OpenAIToolOptions } from './formats/openai-function.js';
export type {
  OpenAIFunctionCall,
  OpenAIFunctionCallOutput,
  OpenAIOutputPart,
  OpenAIResponsesDeferredTools,
  OpenAIResponsesDirectTools,
  OpenAIResponsesOptions,
  OpenAIResponsesTool,
  OpenAIToolSearch,
  OpenAIToolSearchCall,
  OpenAIToolSearchOutput,
} from './formats/openai-responses.js';
export { openaiResponses } from './formats/openai-responses.js';
export type { MediaOptions } from './formats/result-parts.js';
export type { ShownToolOptions } from './formats/shown-tools.js';
export type { ToolObjectOptions } from './formats/tool-objects.js';
