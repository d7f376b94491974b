import { setTimeout as delay } from 'node:timers/promises';
import { fromJsonSchema, type McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { image, text, textResult, wav } from './sample-data.js';

/** One tool for each kind of content. */
export function addContentTools(server: McpServer): void {
  server.registerTool('test_simple_text', { description: 'Answers with a text' }, () =>
    textResult('This is a simple text response for testing.'),
  );
  server.registerTool('test_image_content', { description: 'Answers with an image' }, () => ({ content: [image] }));
  server.registerTool('test_audio_content', { description: 'Answers with a sound' }, () => ({
    content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }],
  }));
  server.registerTool('test_embedded_resource', { description: 'Answers with a resource' }, () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }));
  server.registerTool('test_multiple_content_types', { description: 'Answers with a bit of everything' }, () => ({
    content: [
      text('Multiple content types test:'),
      image,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: JSON.stringify({ test: 'data', value: 123 }),
        },
      },
    ],
  }));
  server.registerTool('test_error_handling', { description: 'Always fails' }, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
}

/** Milliseconds per step: the suite expects separate messages. */
const stepMs = 50;

/** Tools that send messages before their result. */
export function addReportingTools(server: McpServer): void {
  server.registerTool('test_tool_with_logging', { description: 'Logs three times' }, async ({ mcpReq }) => {
    await mcpReq.log('info', 'Tool execution started');
    await delay(stepMs, undefined, { signal: mcpReq.signal });
    await mcpReq.log('info', 'Tool processing data');
    await delay(stepMs, undefined, { signal: mcpReq.signal });
    await mcpReq.log('info', 'Tool execution completed');
    return textResult('Tool with logging executed successfully');
  });
  server.registerTool('test_logging_tool', { description: 'Logs once, for who wants to know' }, async ({ mcpReq }) => {
    await mcpReq.log('info', 'Logging tool executed');
    return textResult('Logging tool executed successfully');
  });
  server.registerTool('test_tool_with_progress', { description: 'Reports its progress' }, async ({ mcpReq }) => {
    await reportProgress(mcpReq, 0);
    await delay(stepMs, undefined, { signal: mcpReq.signal });
    await reportProgress(mcpReq, 50);
    await delay(stepMs, undefined, { signal: mcpReq.signal });
    await reportProgress(mcpReq, 100);
    return textResult('Tool with progress executed successfully');
  });
  server.registerTool(
    'test_reconnection',
    { description: 'Closes its stream, so that the answer has to be fetched with another one' },
    async ({ http, mcpReq }) => {
      http?.closeSSE?.();
      await delay(2 * stepMs, undefined, { signal: mcpReq.signal });
      return textResult('Reconnection test completed successfully');
    },
  );
}

async function reportProgress(mcpReq: ServerContext['mcpReq'], progress: number): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
}

/** Tools whose input schemas must reach the client unchanged. */
export function addSchemaTools(server: McpServer): void {
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Tool with JSON Schema 2020-12 features', inputSchema: contact },
    (args) => textResult(JSON.stringify(args)),
  );
  server.registerTool(
    'test_custom_header',
    { description: 'Repeats an argument that HTTP clients also send as a header', inputSchema: region },
    (args) => textResult(JSON.stringify(args)),
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
