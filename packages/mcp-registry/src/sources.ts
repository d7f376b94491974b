// Everything that can be imported from "@x/mcp-registry/sources". A new line here is new public API.
export type {
  CallHandler,
  ClientHandlerContext,
  ListToolsOptions,
  ServerRequest,
  SourceCallOptions,
  SourceTool,
  SourceToolResult,
  ToolCaller,
  ToolSource,
  ToolSourceState,
} from '@x/internal/contracts';
export type { ArgumentSchema, ArgumentsOf } from './catalog/native-tool.js';
export type { RawShape } from './catalog/raw-shape.js';
export type { SourceSet } from './catalog/source-set.js';
export type { StandardSchema } from './standard-schema.js';
