// Everything that can be imported from "@x/mcp-client-manager". A new line here is new public API.

export type { ManagerErrorCode, ManagerErrorOptions, RpcError } from './errors.js';
export { isManagerError, ManagerError } from './errors.js';
export type { EventName, EventSource, ManagerEvents } from './events.js';
export type { ManagedServer, ServerStatus, WaitOptions } from './managed-server.js';
export type { ClientManager, ServerSpecs, StartOutcome } from './manager.js';
export { createClientManager } from './manager.js';
export type { ClientManagerOptions } from './options.js';
export type { CallOptions } from './routing/call-tool.js';
export type {
  ContentBlock,
  ServerCapabilities,
  ServerTool,
  SessionFacts,
  ToolCallResult,
  ToolProgress,
} from './session/session.js';
export type { HealthCheckSpec, HttpServerSpec, ServerSpec, StdioServerSpec } from './spec.js';
export type { ServerCondition } from './supervisor/condition.js';
export type {
  CatalogCompleteness,
  ReadyState,
  RestingState,
  ServerState,
  StartingState,
  StartStep,
  StoppingState,
} from './supervisor/next-state.js';
