import { fromJsonSchema, type McpServer } from '@modelcontextprotocol/server';
import { say } from './sample-data.js';

/** Tools whose input schemas must reach the client unchanged. */
export function addSchemaTools(server: McpServer): void {
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Tool with JSON Schema 2020-12 features', inputSchema: contact },
    (args) => say(JSON.stringify(args)),
  );
  server.registerTool(
    'test_custom_header',
    { description: 'Repeats an argument that HTTP clients also send as a header', inputSchema: region },
    (args) => say(JSON.stringify(args)),
  );
}

const contact = fromJsonSchema({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
});

// Separate, because the schema type lacks the protocol's keyword.
const regionProperty = { type: 'string', 'x-mcp-header': 'Region' } as const;
const region = fromJsonSchema({ type: 'object', properties: { region: regionProperty }, required: ['region'] });
