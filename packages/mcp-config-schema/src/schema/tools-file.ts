import type { z } from 'zod';
import { filledText, knownMapping, listOf, mappingOf, nameSchema } from './fields.js';

const serverNames = () => listOf(nameSchema, 'a list of server names').default([]);

const mcpToolsSchema = knownMapping(
  {
    required: serverNames().describe('Must be available'),
    recommended: serverNames().describe('Enhances capabilities'),
    optional: serverNames().describe('Nice-to-have'),
  },
  'a mapping with required, recommended or optional',
);

const roleRestrictionsSchema = knownMapping(
  { allowed_tools: listOf(filledText(), 'a list of tool names').describe('Tools allowed for this role') },
  'a mapping with allowed_tools',
);

export const toolSchema = knownMapping(
  {
    binary: filledText().optional().describe('Program that is run'),
    command_template: filledText().optional().describe('How the program is called'),
    models: listOf(filledText(), 'a list of model names').default([]).describe('Models it can be run with'),
    mcp_tools: mcpToolsSchema.prefault({}).describe('MCP servers that the tool works with'),
    role_restrictions: mappingOf(nameSchema, roleRestrictionsSchema, 'a mapping of roles to their restrictions')
      .default({})
      .describe('Tool access restrictions by workflow role'),
  },
  'a mapping that describes a tool',
);

/** `tools.yaml`: which programs use MCP servers, which servers they want, and what each role may call. */
export const toolsFileSchema = knownMapping(
  { tools: mappingOf(nameSchema, toolSchema, 'a mapping of tool names to tools').describe('Tools by name') },
  'a mapping with tools',
);

export type ToolsFile = z.infer<typeof toolsFileSchema>;
export type ToolEntry = z.infer<typeof toolSchema>;
