// The public API of "@x/mcp-gateway/sdk-v1".
export type { CodeTool, CodeToolView } from '@x/internal/views';
export type { MountRegistryOptions } from './sdk-v1/mount-registry.js';
export { mountRegistry } from './sdk-v1/mount-registry.js';
export type { V1McpServer, V1Server } from './sdk-v1/v1-server.js';
export type { ServerRequestOptions } from './serving/asked-client.js';
export type { Surface, SurfaceOptions } from './serving/surface.js';
export type { PageOptions } from './serving/tool-listing.js';
