import * as z from 'zod';
import { extensionManifestSchema } from '../extension/read-manifest.js';
import { restricts } from './schema-parts.js';
import {
  healthCheckSchema,
  hostServerSchema,
  mcpJsonSchema,
  mcpServerSchema,
  mcpServersFileSchema,
  vscodeJsonSchema,
} from './server-files.js';
import { toolsFileSchema } from './tools-file.js';

type JsonSchema = Readonly<Record<string, unknown>>;

/** JSON Schemas for editors, by file name. Draft 7 has the best support in language servers. */
export function jsonSchemas(): Readonly<Record<string, JsonSchema>> {
  return {
    'mcp-servers.schema.json': convert(mcpServersFileSchema, 'mcp_servers.yaml', 'MCP servers and how to run them'),
    'tools.schema.json': convert(
      toolsFileSchema,
      'tools.yaml',
      'Programs that use MCP servers, and what roles may call',
    ),
    'mcp-json.schema.json': convert(mcpJsonSchema, 'mcp.json', 'MCP servers as most host apps declare them'),
    'vscode-mcp.schema.json': convert(vscodeJsonSchema, 'mcp.json of VS Code', 'MCP servers as VS Code declares them'),
    'extension.schema.json': convert(extensionManifestSchema, 'extension.toml', 'MCP servers of an extension'),
  };
}

function convert(schema: z.ZodType, title: string, description: string): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => void Object.assign(jsonSchema, rules.get(zodSchema)),
  });
  return { $schema, title, description, ...withNulls(rest) };
}

/** Lets optional keys be null, which counts as absent. */
function withNulls(schema: JsonSchema): JsonSchema {
  const { properties, additionalProperties, required = [] } = schema as ObjectSchema;
  const changed = Object.entries(properties ?? {}).map(([key, field]) => {
    const inner = withNulls(field);
    return [key, required.includes(key) || restricts(key) ? inner : orNull(inner)] as const;
  });
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(changed) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: withNulls(additionalProperties) }),
  };
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly required?: readonly string[];
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, anyOf, enum: words } = schema;
  return {
    ...schema,
    ...(typeof type === 'string' && { type: [type, 'null'] }),
    ...(Array.isArray(words) && { enum: [...words, null] }),
    ...(Array.isArray(anyOf) && { anyOf: [...anyOf, { type: 'null' }] }),
  };
}

const isThere = { not: { type: 'null' } };
const commandOrUrl = {
  oneOf: ['command', 'url'].map((key) => ({ required: [key], properties: { [key]: isThere } })),
  // A URL is no command.
  not: {
    required: ['command'],
    properties: { command: { type: 'string', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' } },
  },
};

const toolForToolCall = {
  if: { properties: { method: { const: 'tool_call' } }, required: ['method'] },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  then: { required: ['tool'], properties: { tool: isThere } },
};

/** Rules of refinements, which the conversion cannot see. */
const rules: ReadonlyMap<z.core.$ZodType, object> = new Map<z.core.$ZodType, object>([
  [mcpServerSchema, commandOrUrl],
  [hostServerSchema, commandOrUrl],
  [healthCheckSchema, toolForToolCall],
]);
