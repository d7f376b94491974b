// Everything that can be imported from "@x/mcp-registry/server". A new line here is new public API.
export type { Caller } from './server/caller.js';
export type { NodeListener } from './server/node-listener.js';
export { toNodeListener } from './server/node-listener.js';
export type { RegistryHandler, RegistryHandlerOptions, ViewOf } from './server/registry-handler.js';
export { createRegistryHandler } from './server/registry-handler.js';
export type { RegistryServing, ServeRegistryOptions } from './server/serve-registry.js';
export { serveRegistry } from './server/serve-registry.js';
export type { Surface } from './serving/surface.js';
