import type { JsonSchema, ToolAnnotations, ToolArguments, ToolProgress } from '@x/internal/contracts';
import { copyJson, isRecord, JsonCopyError } from '@x/internal/json';
import { SOURCE_PREFIX } from '@x/internal/names';
import { refuseUnknownKeys, requireObject } from '@x/internal/options';
import type { ArgumentReader, StandardOutput, StandardSchema } from '../standard-schema.js';
import { isRawShape, isStandard, type RawShape, shapeToJson } from './raw-shape.js';
import type { ToolDefinition } from './tool-view.js';

/** A schema that `register()` accepts. */
export type ArgumentSchema = JsonSchema | StandardSchema | RawShape;

/** The arguments of a handler: the schema library's output, or JSON. */
export type ArgumentsOf<Schema extends ArgumentSchema> = Schema extends StandardSchema
  ? StandardOutput<Schema>
  : Schema extends RawShape
    ? { readonly [Field in keyof Schema]: StandardOutput<Schema[Field]> }
    : ToolArguments;

/** A tool of the app. */
export interface NativeToolDefinition<Schema extends ArgumentSchema = ArgumentSchema> {
  /** 1 to 64 characters of `[A-Za-z0-9_-]`, not beginning with `mcp__`. */
  readonly name: string;
  readonly title?: string | undefined;
  /** Purpose of the tool, by which models choose. */
  readonly description: string;
  /**
   * Schema of the arguments: JSON Schema for an object, a schema library's object, such as zod's, or an object of such
   * schemas by argument. Default: any object.
   */
  readonly inputSchema?: Schema | undefined;
  /**
   * Schema of `structuredContent`, in the same forms. Only its JSON Schema is used.
   */
  readonly outputSchema?: ArgumentSchema | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  readonly icons?: readonly unknown[] | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  /** Further search terms. */
  readonly keywords?: readonly string[] | undefined;
}

/** Context of a native tool's call. */
export interface NativeToolContext {
  /** Aborts on cancellation, at the time limit, and when the registry closes. */
  readonly signal: AbortSignal;
  /** Reports progress. Does nothing without a listener or after the call. */
  readonly reportProgress: (progress: ToolProgress) => void;
  /** `_meta` of the call, such as `traceparent`. Default: empty. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/**
 * Runs a native tool. Returns a `ToolCallResult`, a string, or any JSON value, which becomes text and, for an object,
 * also `structuredContent`. Errors become results with `isError`.
 */
export type NativeToolHandler<Arguments = ToolArguments> = (args: Arguments, context: NativeToolContext) => unknown;

interface CheckedNativeTool {
  readonly definition: ToolDefinition;
  readonly reader: NativeReader | undefined;
}

/** Reads arguments: a schema, or the fields of one. */
export type NativeReader = ArgumentReader | { readonly shape: RawShape };

const FIELDS = [
  'name',
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
  'icons',
  '_meta',
  'keywords',
] as const satisfies readonly (keyof NativeToolDefinition)[];

/** @throws {TypeError} naming the invalid field. */
export function checkNativeTool(tool: NativeToolDefinition, handler: unknown): CheckedNativeTool {
  requireObject('The first argument of register()', tool, FIELDS);
  if (typeof handler !== 'function') {
    throw new TypeError(`handler of the tool ${tool.name} must be a function: register(tool, handler)`);
  }
  refuseUnknownKeys(tool, FIELDS, { place: 'register(): ', what: 'field' });
  const { name, title, description, annotations, icons, _meta, keywords } = tool;
  if (typeof name !== 'string' || !isNativeName(name)) {
    throw new TypeError(
      `name must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -, and must not begin with ${SOURCE_PREFIX}, got ${JSON.stringify(name)}`,
    );
  }
  if (typeof description !== 'string') throw new TypeError(`description of the tool ${name} must be a text`);
  if (title !== undefined && typeof title !== 'string') throw new TypeError(`title of the tool ${name} must be a text`);
  for (const [field, value] of Object.entries({ annotations, _meta })) {
    if (value !== undefined && !isRecord(value)) throw new TypeError(`${field} of the tool ${name} must be an object`);
  }
  if (icons !== undefined && !Array.isArray(icons)) throw new TypeError(`icons of the tool ${name} must be a list`);
  if (keywords !== undefined && !isTextList(keywords)) {
    throw new TypeError(`keywords of the tool ${name} must be a list of texts`);
  }
  const inputSchema = toJsonSchema(`inputSchema of the tool ${name}`, tool.inputSchema ?? { type: 'object' }, 'input');
  if (inputSchema.type !== undefined && inputSchema.type !== 'object') {
    throw new TypeError(
      `inputSchema of the tool ${name} must have type "object", got ${JSON.stringify(inputSchema.type)}`,
    );
  }
  const outputSchema =
    tool.outputSchema && toJsonSchema(`outputSchema of the tool ${name}`, tool.outputSchema, 'output');

  const fields = { name, title, description, inputSchema, outputSchema, annotations, icons, _meta, keywords };
  return { definition: copyDefinition(name, fields), reader: readerOf(tool.inputSchema) };
}

function readerOf(schema: ArgumentSchema | undefined): NativeReader | undefined {
  if (isStandard(schema)) return schema;
  return isRawShape(schema) ? { shape: schema } : undefined;
}

function copyDefinition(name: string, fields: unknown): ToolDefinition {
  try {
    return copyJson(fields) as ToolDefinition;
  } catch (cause) {
    if (cause instanceof JsonCopyError) throw new TypeError(`The tool ${name} ${cause.message}`, { cause });
    throw cause;
  }
}

function toJsonSchema(what: string, schema: ArgumentSchema, side: 'input' | 'output'): JsonSchema {
  if (isRawShape(schema)) {
    return shapeToJson(schema, (name, field) => {
      if (isStandard(field)) return toJsonSchema(`${name} of ${what}`, field, side);
      throw new TypeError(`${what} mixes JSON Schema and a schema library's objects; wrap these: z.object({ … })`);
    });
  }
  if (!isStandard(schema)) {
    if (!isRecord(schema)) throw new TypeError(`${what} must be a JSON Schema object or a schema library's object`);
    if (isRawShape(schema.properties)) {
      throw new TypeError(`${what} has a schema library's objects as properties; pass these as ${what.split(' ')[0]}`);
    }
    return schema;
  }
  const { validate, jsonSchema } = schema['~standard'] ?? {};
  if (typeof validate !== 'function' || typeof jsonSchema?.[side] !== 'function') {
    throw new TypeError(
      `${what} is a schema library's object without a JSON Schema; use zod 4.2 or newer, or pass z.toJSONSchema(schema)`,
    );
  }
  let converted: unknown;
  try {
    converted = jsonSchema[side]({ target: 'draft-2020-12' });
  } catch (cause) {
    const reason = cause instanceof Error ? `: ${cause.message}` : '';
    throw new TypeError(`${what} has a part that JSON Schema cannot express${reason}`, { cause });
  }
  if (!isRecord(converted)) throw new TypeError(`${what} must convert to a JSON Schema object`);
  return converted;
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

export function isNativeName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name) && !name.startsWith(SOURCE_PREFIX);
}
