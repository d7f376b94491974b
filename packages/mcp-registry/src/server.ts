// Everything that can be imported from "@x/mcp-registry/server". A new line here is new public API.

export { gatewayCapabilities, singleClientCapabilities } from './gateway/bridging/gateway-capabilities.js';
export type { AudienceOf, Gateway, GatewayHandlerOptions } from './gateway/gateway.js';
export { createGateway } from './gateway/gateway.js';
export type { NamedCollision } from './gateway/gateway-core.js';
export type { GatewayOptions } from './gateway/gateway-options.js';
export type { RateLimitOptions } from './gateway/limits/rate-limits.js';
export type { Rate } from './gateway/limits/token-buckets.js';
export type { NamingMode } from './gateway/naming/gateway-names.js';
export type { GatewayProblem } from './gateway/problems.js';
export type { ServeGatewayOptions } from './gateway/serve-gateway.js';
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
export type { HttpServerOptions } from './server/node/http-server.js';
export { createHttpServer } from './server/node/http-server.js';
export type { NodeListener, NodeListenerOptions } from './server/node/node-listener.js';
export { toNodeListener } from './server/node/node-listener.js';
export type { RegistryHandler, RegistryHandlerOptions, ViewOf } from './server/registry-handler.js';
export { createRegistryHandler } from './server/registry-handler.js';
export type { Caller } from './server/requests/caller.js';
export type { ResourceMetadata } from './server/requests/resource-metadata.js';
export type { ServeRegistryOptions } from './server/stdio/serve-registry.js';
export { serveRegistry } from './server/stdio/serve-registry.js';
export type { RegistryServing, StdioOptions } from './server/stdio/stdio-connection.js';
export type { Surface } from './serving/surface.js';
