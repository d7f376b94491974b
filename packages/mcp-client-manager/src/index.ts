// All exports of "@x/mcp-client-manager". A new line here is new public API.
export type {
  AudioContent,
  CallHandler,
  ClientHandlerContext,
  ContentAnnotations,
  ContentBlock,
  EmbeddedResource,
  EventSource,
  ImageContent,
  ObservedRequest,
  ObservedServer,
  Operation,
  OperationOutcome,
  OtherContent,
  PeerFacts,
  ResourceContents,
  ResourceLink,
  RpcError,
  ServerRequest,
  Telemetry,
  TextContent,
  ToolCallResult,
  ToolOverride,
  ToolOverrides,
  ToolProgress,
} from '@x/internal/contracts';
export type { ChangesOptions, ServerChange } from './changes.js';
export type { ManagerErrorCode, ManagerErrorOptions } from './errors.js';
export { isManagerError, ManagerError } from './errors.js';
export type { EventName, ManagerEvents } from './events.js';
export type {
  ConfirmLaunch,
  HttpLaunch,
  Launch,
  ResolveSecret,
  SecretRequest,
  StdioLaunch,
} from './launch/prepare-launch.js';
export type { ClientManager, StartOutcome } from './manager.js';
export { createClientManager } from './manager.js';
export type { AllowHealthCall, ClientManagerOptions } from './options.js';
export { preload } from './preload.js';
export type { CallCaller, CallOptions, RequestOptions } from './routing/call-options.js';
export type {
  CompleteRequest,
  CompleteResult,
  GetPromptResult,
  ListOptions,
  ManagedListing,
  ManagedRequests,
  PassThroughOptions,
  ReadResourceResult,
} from './servers/managed-requests.js';
export type { ManagedServer, StopOptions, WaitOptions } from './servers/managed-server.js';
export type { ApplyOptions, ApplyReport } from './servers/server-set.js';
export type { HeadersFor } from './session/http/http-transports.js';
export type { Listing } from './session/lists/list-pages.js';
export type { ServerPrompt, ServerResource, ServerResourceTemplate } from './session/lists/server-lists.js';
export type { ClientHandler, ClientHandlers } from './session/server-requests/client-handlers.js';
export type {
  ServerCapabilities,
  ServerTool,
  SessionFacts,
} from './session/session.js';
export type { ServerLogEntry } from './session/session-listeners.js';
export type {
  AuthReference,
  HealthCheckSpec,
  HttpServerSpec,
  InProcessServer,
  InProcessServerSpec,
  LimitsSpec,
  PingCheckSpec,
  ProcessLimitsSpec,
  RestartSpec,
  SecretSpec,
  ServerSpec,
  ServerSpecs,
  ServersByName,
  StdioServerSpec,
  ToolCheckSpec,
} from './spec.js';
export type { ServerCondition } from './supervisor/state/condition.js';
export type { ServerNeed } from './supervisor/state/server-needs.js';
export type {
  CatalogCompleteness,
  CloseReason,
  DownState,
  DrainingState,
  NextState,
  QueuedState,
  ReadyState,
  ServerState,
  StartingState,
  StartStep,
  StoppingState,
} from './supervisor/state/server-state.js';
export type { ServerStatus } from './supervisor/state/server-status.js';
