// Everything that can be imported from "@x/mcp". A new line here is new public API.
export { isManagerError } from '@x/mcp-client-manager';
export type { AskConsent, LaunchToConfirm } from '@x/mcp-config-schema/consent';
export { isConfigError } from '@x/mcp-config-schema/secrets';
export type { RoleRules, SearchResult, ToolSource, ToolView } from '@x/mcp-registry';
export { isRegistryError } from '@x/mcp-registry';
export type { Tools, ToolsEvents } from './open-tools.js';
export { openTools } from './open-tools.js';
export type { AsOptions, CloseOptions, ConfigFailure, OpenToolsOptions, ToolsChanges } from './options.js';
export type { ResultImage, ToolResult } from './tool-result.js';
export type { ToolSet } from './tool-set.js';
