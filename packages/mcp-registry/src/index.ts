// Everything that can be imported from "@x/mcp-registry". A new line here is new public API.
export type {
  AudioContent,
  CallToolOptions,
  ContentAnnotations,
  ContentBlock,
  EmbeddedResource,
  EventSource,
  ImageContent,
  JsonSchema,
  OtherContent,
  ResourceContents,
  ResourceLink,
  TextContent,
  ToolAnnotations,
  ToolArguments,
  ToolCallResult,
  ToolOverride,
  ToolOverrides,
  ToolProgress,
  ToolSource,
} from '@x/internal/contracts';
export type { InstructionsOptions } from '@x/internal/instructions';
export type { SchemaFault as ArgumentFault } from '@x/internal/json-schema';
export type { Interceptor, ToolView, ViewOptions } from '@x/internal/views';
export type { Attachment } from './catalog/catalog.js';
export type { DiagnosticBase, RegistryDiagnostic } from './catalog/diagnostics.js';
export type {
  NativeToolContext,
  NativeToolDefinition,
  NativeToolHandler,
} from './catalog/native-tool.js';
export type { ChangesOptions } from './changes.js';
export type { RegistryErrorCode, RegistryErrorOptions } from './errors.js';
export { isRegistryError, RegistryError } from './errors.js';
export type { AccessChange, RegistryEvents, ToolsChange } from './events.js';
export type { RoleApproval } from './interceptors/approval/late-approval.js';
export { preload } from './preload.js';
export type { CloseOptions, Registry, RegistryChanges, RegistryOptions } from './registry.js';
export { createRegistry } from './registry.js';
export type { RoleRules } from './roles/role-rule.js';
export type {
  SearchHit,
  SearchOptions,
  SearchRequest,
  SearchResult,
} from './search/search-request.js';
export type { ToolDescription } from './tool-description.js';
export type { ConstantSurfaceOptions } from './views/constant-surface.js';
export { createConstantSurface } from './views/constant-surface.js';
export type { RegistryViewOptions } from './views/role-views.js';
export type { RegistryView } from './views/view.js';
