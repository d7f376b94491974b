// Everything that can be imported from "@x/mcp". A new line here is new public API.
export type { ApplyReport, ClientManager, ClientManagerOptions, ServersByName } from '@x/mcp-client-manager';
export { isManagerError } from '@x/mcp-client-manager';
export type { AskConsent, LaunchToConfirm } from '@x/mcp-config-schema/consent';
export { isConfigError } from '@x/mcp-config-schema/secrets';
export type {
  Attachment,
  CallToolOptions,
  JsonSchema,
  NativeToolDefinition,
  NativeToolHandler,
  Registry,
  RegistryOptions,
  RegistryView,
  RoleRules,
  SearchOptions,
  SearchRequest,
  SearchResult,
  ToolArguments,
  ToolCallResult,
  ToolDescription,
  ToolOverride,
  ToolOverrides,
  ToolSource,
  ToolsChange,
  ToolView,
} from '@x/mcp-registry';
export { isRegistryError } from '@x/mcp-registry';
export type { SourceTool } from '@x/mcp-registry/sources';
export { openTools } from './open-tools.js';
export type { OpenToolsOptions } from './options.js';
export type { ResultImage, ToolResult } from './tool-result.js';
export type { ToolSet } from './tool-set.js';
export type { AsOptions, CloseOptions, ConfigFailure, Tools, ToolsChanges, ToolsEvents } from './tools.js';
