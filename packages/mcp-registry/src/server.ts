// Everything that can be imported from "@x/mcp-registry/server". A new line here is new public API.

export { gatewayCapabilities, singleClientCapabilities } from './gateway/bridging/gateway-capabilities.js';
export type { AudienceOf, Gateway, GatewayHandlerOptions } from './gateway/gateway.js';
export { createGateway } from './gateway/gateway.js';
export type { NamedCollision } from './gateway/gateway-core.js';
export type { NamingMode } from './gateway/gateway-names.js';
export type { GatewayOptions } from './gateway/gateway-options.js';
export type { GatewayProblem } from './gateway/problems.js';
export type { RateLimitOptions } from './gateway/rate-limits.js';
export type { ServeGatewayOptions } from './gateway/serve-gateway.js';
export type { Rate } from './gateway/token-buckets.js';
export type {
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
export type { Caller } from './server/caller.js';
export type { HttpServerOptions } from './server/http-server.js';
export { createHttpServer } from './server/http-server.js';
export type { NodeListener, NodeListenerOptions } from './server/node-listener.js';
export { toNodeListener } from './server/node-listener.js';
export type { RegistryHandler, RegistryHandlerOptions, ViewOf } from './server/registry-handler.js';
export { createRegistryHandler } from './server/registry-handler.js';
export type { ResourceMetadata } from './server/resource-metadata.js';
export type { ServeRegistryOptions } from './server/serve-registry.js';
export { serveRegistry } from './server/serve-registry.js';
export type { RegistryServing, StdioOptions } from './server/stdio-connection.js';
export type { Surface } from './serving/surface.js';
