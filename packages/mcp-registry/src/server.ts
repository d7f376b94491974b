// Everything that can be imported from "@x/mcp-registry/server". A new line here is new public API.
export type { RegistryServing, ServeRegistryOptions } from './server/serve-registry.js';
export { serveRegistry } from './server/serve-registry.js';
