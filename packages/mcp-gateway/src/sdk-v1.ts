// Everything that can be imported from "@x/mcp-gateway/sdk-v1". A new line here is new public API.
export type { MountRegistryOptions } from './sdk-v1/mount-registry.js';
export { mountRegistry } from './sdk-v1/mount-registry.js';
export type { V1McpServer, V1Server } from './sdk-v1/v1-server.js';
export type { Surface, SurfaceOptions } from './serving/surface.js';
export type { PageOptions } from './serving/tool-pages.js';
