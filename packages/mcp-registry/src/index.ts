// Everything that can be imported from "@x/mcp-registry". A new line here is new public API.
export type { Attachment } from './catalog/catalog.js';
export type { RegistryDiagnostic } from './catalog/diagnostics.js';
export type { NativeToolContext, NativeToolDefinition, NativeToolHandler } from './catalog/native-tool.js';
export type { ToolIdentity } from './catalog/public-name.js';
export type { ToolView } from './catalog/tool-view.js';
export type { ChangesOptions } from './changes.js';
export type { RegistryErrorCode, RegistryErrorOptions } from './errors.js';
export { isRegistryError, RegistryError } from './errors.js';
export type { EventSource, RegistryEvents, ToolsChange } from './events.js';
export type { Registry, RegistryOptions, ViewOptions } from './registry.js';
export { createRegistry } from './registry.js';
export type { RoleDecision, RolePolicy, RoleRule, RoleRules } from './roles/compile-role.js';
export { compileRole } from './roles/compile-role.js';
export type { SearchDetail, SearchHit, SearchRequest, SearchResult } from './search/search-request.js';
export type {
  CallToolOptions,
  ContentBlock,
  JsonSchema,
  ListToolsOptions,
  SourceTool,
  ToolAnnotations,
  ToolArguments,
  ToolCallResult,
  ToolProgress,
  ToolSource,
  ToolSourceState,
} from './source.js';
export type { RegistryView } from './view.js';
