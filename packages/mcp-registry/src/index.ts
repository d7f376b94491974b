// Everything that can be imported from "@x/mcp-registry". A new line here is new public API.
export type {
  AudioContent,
  CallHandler,
  CallToolOptions,
  ClientHandlerContext,
  ContentAnnotations,
  ContentBlock,
  EmbeddedResource,
  EventSource,
  ImageContent,
  JsonSchema,
  ListToolsOptions,
  OtherContent,
  ResourceContents,
  ResourceLink,
  ServerRequest,
  SourceCallOptions,
  SourceTool,
  SourceToolResult,
  TextContent,
  ToolAnnotations,
  ToolArguments,
  ToolCaller,
  ToolCallResult,
  ToolProgress,
  ToolSource,
  ToolSourceState,
} from '@x/internal/contracts';
export type { InstructionsOptions } from '@x/internal/instructions';
export type { SchemaFault as ArgumentFault } from '@x/internal/json-schema';
export type {
  ToolIdentity,
  ToolView,
  ViewOptions,
} from '@x/internal/views';
export type { Attachment } from './catalog/catalog.js';
export type { DiagnosticBase, RegistryDiagnostic, RulePlace } from './catalog/diagnostics.js';
export type {
  ArgumentSchema,
  ArgumentsOf,
  NativeToolContext,
  NativeToolDefinition,
  NativeToolHandler,
} from './catalog/native-tool.js';
export type { RawShape } from './catalog/raw-shape.js';
export type { SourceSet } from './catalog/source-set.js';
export type { ChangesOptions } from './changes.js';
export type { RegistryErrorCode, RegistryErrorOptions } from './errors.js';
export { isRegistryError, RegistryError } from './errors.js';
export type { AccessChange, RegistryEvents, ToolsChange } from './events.js';
export { preload } from './preload.js';
export type { CloseOptions, Registry, RegistryChanges, RegistryOptions } from './registry.js';
export { createRegistry } from './registry.js';
export type { RoleRules } from './roles/role-rule.js';
export type { SearchDocument } from './search/index/search-document.js';
export type { Ranker, RankerFailure, RankOptions } from './search/rank/ranker.js';
export type {
  SearchDetail,
  SearchHit,
  SearchMatch,
  SearchMode,
  SearchOptions,
  SearchRequest,
  SearchResult,
  SearchScope,
} from './search/search-request.js';
export type { StandardSchema } from './standard-schema.js';
export type { ToolDescription } from './tool-description.js';
export { createConstantSurface } from './views/constant-surface.js';
export type { RegistryView } from './views/view.js';
