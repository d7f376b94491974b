// The public API of "@x/mcp-gateway".

export { gatewayCapabilities, singleClientCapabilities } from '@x/internal/client-capabilities';
export type {
  AudioContent,
  CallHandler,
  CallToolOptions,
  ClientHandlerContext,
  ContentAnnotations,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  JsonSchema,
  ObservedRequest,
  ObservedServer,
  Operation,
  OperationOutcome,
  OtherContent,
  PeerFacts,
  ResourceContents,
  ResourceLink,
  ServerRequest,
  Telemetry,
  TextContent,
  ToolAnnotations,
  ToolArguments,
  ToolCaller,
  ToolCallResult,
  ToolProgress,
  ToolSourceState,
} from '@x/internal/contracts';
export type { Rate } from '@x/internal/limits';
export type {
  AnySubject,
  CodeTool,
  CodeToolView,
  PartSubject,
  RoleSubject,
  ServerSubject,
  ToolIdentity,
  ToolSubject,
  ToolView,
  ViewOptions,
} from '@x/internal/views';
export type { GatewayErrorCode, GatewayErrorOptions } from './errors.js';
export { GatewayError, isGatewayError } from './errors.js';
export type { AudienceOf } from './gateway/audiences.js';
export type { ElicitationFallback, FallbackQuestion } from './gateway/bridging/elicitation-fallback.js';
export type { Gateway, GatewayHandlerOptions, ServeGatewayOptions } from './gateway/gateway.js';
export { createGateway } from './gateway/gateway.js';
export type { NamedCollision } from './gateway/gateway-core.js';
export type { GatewayOptions } from './gateway/gateway-options.js';
export type { NamingMode } from './gateway/naming/gateway-names.js';
export type { Collision } from './gateway/naming/name-owners.js';
export type { RateLimitOptions } from './gateway/rate-limits.js';
export type {
  GatewayProblem,
  GatewayUpstream,
  GatewayUpstreamEvents,
  GatewayUpstreams,
  LogLevel,
  UpstreamCapabilities,
  UpstreamEntry,
  UpstreamEvent,
  UpstreamListing,
  UpstreamListOptions,
  UpstreamLogEntry,
  UpstreamNotification,
  UpstreamRequestOptions,
  UpstreamResult,
  UpstreamSession,
} from './gateway/upstream.js';
export type { Registry, RegistryView, RoleDecision, RolePolicy, ViewDiagnostic, ViewEvents } from './registry.js';
export type { DrainOptions } from './server/drain.js';
export type { HttpHandlerOptions, ViewOf } from './server/http-handler.js';
export type { HttpServerOptions } from './server/node/http-server.js';
export { createHttpServer } from './server/node/http-server.js';
export type { NodeListener, NodeListenerOptions } from './server/node/node-listener.js';
export { toNodeListener } from './server/node/node-listener.js';
export type { RegistryHandler, RegistryHandlerOptions } from './server/registry-handler.js';
export { createRegistryHandler } from './server/registry-handler.js';
export type { Caller, CallerOptions } from './server/requests/caller.js';
export type { HttpLimitOptions } from './server/requests/http-limits.js';
export type { HealthOptions, MetadataOptions, ResourceMetadata } from './server/requests/public-paths.js';
export type { GuardOptions } from './server/requests/request-guard.js';
export type { WaitingState } from './server/responses/waiting-bytes.js';
export type { ServeRegistryOptions } from './server/stdio/serve-registry.js';
export { serveRegistry } from './server/stdio/serve-registry.js';
export type { ClientTransport, RegistryServing, StdioOptions } from './server/stdio/stdio-connection.js';
export type { ServerRequestOptions } from './serving/asked-client.js';
export type { ServingOptions } from './serving/serving-policy.js';
export type { Surface, SurfaceOptions } from './serving/surface.js';
export type { PageOptions } from './serving/tool-listing.js';
