import type { z } from 'zod';
import {
  filledText,
  flag,
  knownMapping,
  listOf,
  mappingOf,
  nameSchema,
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
    destructiveHint: optional(flag(), 'May destroy what is there'),
    idempotentHint: optional(flag(), 'Does no more when it is called again'),
    openWorldHint: optional(flag(), 'Reaches out of its own world, as into the web'),
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
      'Tools taken away from this role and all that inherit it, by any name that they are shown by',
    ),
    required_annotations: optional(annotationsSchema, 'Only tools that say this of themselves'),
    allowed_resources: optional(
      listOf(filledText(), 'a list of servers, or of "server." and a URI'),
      'Resources allowed beside those of whole servers',
    ),
    allowed_prompts: optional(
      listOf(filledText(), 'a list of prompt names'),
      'Prompts allowed beside those of whole servers',
    ),
    inherits: optional(listOf(nameSchema(), 'a list of roles'), 'Roles whose tools are allowed as well'),
    default: optional(flag(), 'Whether who comes without a role has this one'),
  }),
  'a mapping with allowed_tools',
);

export const toolSchema = knownMapping(
  () => ({
    binary: optional(filledText(), 'Program that is run'),
    command_template: optional(filledText(), 'How the program is called'),
    models: withDefault(listOf(filledText(), 'a list of model names'), [], 'Models it can be run with'),
    mcp_tools: mcpToolsSchema.prefault({}).describe('MCP servers that the tool works with'),
    role_restrictions: withDefault(
      mappingOf(nameSchema(), roleRestrictionsSchema, 'a mapping of roles to their restrictions'),
      {},
      'Tool access restrictions by workflow role',
    ),
  }),
  'a mapping that describes a tool',
);

/** `tools.yaml`: which programs use MCP servers, which servers they want, and what each role may call. */
export const toolsFileSchema = knownMapping(
  () => ({
    $schema: schemaReference(),
    tools: mappingOf(nameSchema(), toolSchema, 'a mapping of tool names to tools').describe('Tools by name'),
  }),
  'a mapping with tools',
);

/** A `tools.yaml` as it is written: in its own spelling, without defaults. */
export type ToolsFile = z.infer<typeof toolsFileSchema>;
export type ToolEntry = z.infer<typeof toolSchema>;
