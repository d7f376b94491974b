// Types only.
export type { CallHandler, ClientHandlerContext, ServerRequest } from './contracts/call-handler.js';
export type { AsyncDisposable, Disposable } from './contracts/disposable.js';
export type { EventSource } from './contracts/event-source.js';
export type { JsonSchema } from './contracts/json.js';
export type { JsonRpcMessage, RequestId, RpcError } from './contracts/json-rpc.js';
export type { ContentBlock, ToolCallResult, ToolProgress } from './contracts/tool-result.js';
export type {
  CallToolOptions,
  ListToolsOptions,
  SourceTool,
  ToolAnnotations,
  ToolArguments,
  ToolCaller,
  ToolSource,
  ToolSourceState,
} from './contracts/tool-source.js';
