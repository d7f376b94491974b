import type { JsonSchema, ToolAnnotations, ToolArguments, ToolProgress } from '../source.js';
import { copyJson, isRecord, JsonCopyError } from './json-copy.js';
import { isNativeName, SOURCE_PREFIX } from './public-name.js';
import type { ToolDefinition } from './tool-view.js';

/** A tool that the host app brings itself. It keeps its own name. */
export interface NativeToolDefinition {
  /** 1 to 64 characters of `[A-Za-z0-9_-]`, not beginning with `mcp__`. */
  readonly name: string;
  readonly title?: string | undefined;
  /** What the tool does and when to use it; models choose by it. */
  readonly description: string;
  /** JSON Schema of the arguments, an object's. Default: any object. */
  readonly inputSchema?: JsonSchema | undefined;
  /** JSON Schema of `structuredContent`. */
  readonly outputSchema?: JsonSchema | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  /** Further words that the search finds the tool by. */
  readonly keywords?: readonly string[] | undefined;
}

export interface NativeToolContext {
  /** Aborts when the caller gives up, the time is over or the registry closes. */
  readonly signal: AbortSignal;
  /** Tells the caller how far the work is. Does nothing if nobody listens or the call is over. */
  readonly reportProgress: (progress: ToolProgress) => void;
}

/**
 * Runs a native tool. May give a whole `ToolCallResult`, a text, or any JSON value, which becomes text and, if it is
 * an object, `structuredContent` too. What it throws becomes a result with `isError` and the error's message.
 */
export type NativeToolHandler = (args: ToolArguments, context: NativeToolContext) => unknown;

/** @throws {TypeError} naming the field that is wrong. */
export function checkNativeTool(tool: NativeToolDefinition): ToolDefinition {
  const { name, title, description, inputSchema = { type: 'object' }, outputSchema, annotations, keywords } = tool;
  if (typeof name !== 'string' || !isNativeName(name)) {
    throw new TypeError(
      `name must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -, and must not begin with ${SOURCE_PREFIX}, got ${JSON.stringify(name)}`,
    );
  }
  if (typeof description !== 'string') throw new TypeError(`description of the tool ${name} must be a text`);
  if (title !== undefined && typeof title !== 'string') throw new TypeError(`title of the tool ${name} must be a text`);
  if (annotations !== undefined && !isRecord(annotations)) {
    throw new TypeError(`annotations of the tool ${name} must be an object`);
  }
  if (keywords !== undefined && !isTextList(keywords)) {
    throw new TypeError(`keywords of the tool ${name} must be a list of texts`);
  }
  checkSchema(`inputSchema of the tool ${name}`, inputSchema);
  if (inputSchema.type !== undefined && inputSchema.type !== 'object') {
    throw new TypeError(
      `inputSchema of the tool ${name} must have type "object", got ${JSON.stringify(inputSchema.type)}`,
    );
  }
  if (outputSchema !== undefined) checkSchema(`outputSchema of the tool ${name}`, outputSchema);

  const fields = { name, title, description, inputSchema, outputSchema, annotations, keywords };
  return copyDefinition(name, fields);
}

function copyDefinition(name: string, fields: unknown): ToolDefinition {
  try {
    // The copy of checked fields is a definition still; undefined fields are left out.
    return copyJson(fields) as ToolDefinition;
  } catch (cause) {
    if (cause instanceof JsonCopyError) throw new TypeError(`The tool ${name} ${cause.message}`, { cause });
    throw cause;
  }
}

function checkSchema(what: string, schema: unknown): void {
  if (!isRecord(schema)) throw new TypeError(`${what} must be a JSON Schema object`);
  if ('~standard' in schema) {
    throw new TypeError(
      `${what} must be a JSON Schema, got a schema library's object; convert it first, for zod with z.toJSONSchema(schema)`,
    );
  }
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
