import type { z } from 'zod';
import {
  filledText,
  flag,
  knownMapping,
  listOf,
  mappingOf,
  nameSchema,
  openMapping,
  optional,
  schemaReference,
  withDefault,
} from './fields.js';

const serverNames = (description: string) =>
  withDefault(listOf(nameSchema(), 'a list of server names'), [], description);

const mcpToolsSchema = knownMapping(
  () => ({
    required: serverNames('Must be available'),
    recommended: serverNames('Enhances capabilities'),
    optional: serverNames('Nice-to-have'),
  }),
  'a mapping with required, recommended or optional',
);

const annotationsSchema = knownMapping(
  () => ({
    readOnlyHint: optional(flag(), 'Changes nothing'),
    destructiveHint: optional(flag(), 'May delete or overwrite data'),
    idempotentHint: optional(flag(), 'Repeated calls have no further effect'),
    openWorldHint: optional(flag(), 'Accesses external systems, such as the web'),
  }),
  'a mapping of readOnlyHint, destructiveHint, idempotentHint or openWorldHint to true or false',
);

const roleRestrictionsSchema = knownMapping(
  () => ({
    allowed_tools: listOf(filledText(), 'a list of tool names').describe(
      'Tools allowed for this role: a server, "server.tool", "server/tool" or "mcp__server__tool"',
    ),
    denied_tools: optional(
      listOf(filledText(), 'a list of tool names'),
      'Tools denied to this role and to roles that inherit it, by any of their names',
    ),
    ask_before: optional(
      listOf(filledText(), 'a list of tool names'),
      'Tools whose calls need a person\'s approval, written as in denied_tools; "destructive" stands for all destructive tools',
    ),
    required_annotations: optional(annotationsSchema, 'Allow only tools with these annotations'),
    allowed_resources: optional(
      listOf(filledText(), 'a list of servers, or of "server." and a URI'),
      'Resources allowed in addition to those of whole servers',
    ),
    allowed_prompts: optional(
      listOf(filledText(), 'a list of prompt names'),
      'Prompts allowed in addition to those of whole servers',
    ),
    inherits: optional(listOf(nameSchema(), 'a list of roles'), 'Roles whose tools are also allowed'),
    default: optional(flag(), 'Role of callers without a role'),
  }),
  'a mapping with allowed_tools',
);

/** Other keys belong to the program. */
export const toolSchema = openMapping(
  () => ({
    binary: optional(filledText(), 'Program to run'),
    command_template: optional(filledText(), 'Command line of the program'),
    models: withDefault(listOf(filledText(), 'a list of model names'), [], 'Supported models'),
    mcp_tools: mcpToolsSchema.prefault({}).describe('MCP servers that the tool uses'),
    role_restrictions: withDefault(
      mappingOf(nameSchema(), roleRestrictionsSchema, 'a mapping of roles to their restrictions'),
      {},
      'Tool access restrictions by workflow role',
    ),
  }),
  'a mapping that describes a tool',
);

/** `tools.yaml`: programs that use MCP servers, their servers, and permissions of roles. */
export const toolsFileSchema = knownMapping(
  () => ({
    $schema: schemaReference(),
    tools: mappingOf(nameSchema(), toolSchema, 'a mapping of tool names to tools').describe('Tools by name'),
  }),
  'a mapping with tools',
);

export type ToolEntry = z.infer<typeof toolSchema>;
