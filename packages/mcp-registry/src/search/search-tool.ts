import { copyJson } from '@x/internal/json';
import { SEARCH_TOOL_NAME } from '@x/internal/names';
import type { NativeTool } from '../catalog/snapshot.js';
import type { ToolDefinition } from '../catalog/tool-view.js';
import {
  MAX_CURSOR_LENGTH,
  MAX_LIMIT,
  MAX_PATTERN_LENGTH,
  MAX_QUERY_LENGTH,
  SCOPES,
  TOOL_DETAILS,
  TOOL_LIMIT,
} from './search-request.js';

// An example task would make this tool a hit for that task.
const DESCRIPTION =
  'Search tools: finds the tools that are available right now by what they do, best match first. Each line is ' +
  'name(parameters): purpose; "?" marks optional ones, "…+2" what is left out. Call a tool by its name.';

const definition = copyJson({
  name: SEARCH_TOOL_NAME,
  title: 'Search tools',
  description: DESCRIPTION,
  keywords: ['find', 'discover', 'lookup', 'available', 'list'],
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  inputSchema: {
    type: 'object',
    properties: {
      query: {
        type: 'string',
        maxLength: MAX_QUERY_LENGTH,
        description: 'Words for what the tool should do, or its name. "*" lists all tools.',
      },
      useRegex: {
        type: 'boolean',
        default: false,
        description:
          `Reads the query as a regular expression (RE2, at most ${MAX_PATTERN_LENGTH} characters, (?i) ignores case) for ` +
          'each name and text by itself.',
      },
      server: { type: 'string', description: 'Only tools of this server.' },
      limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: TOOL_LIMIT },
      cursor: { type: 'string', maxLength: MAX_CURSOR_LENGTH, description: 'From the answer before, for more of it.' },
      detail: {
        type: 'string',
        enum: TOOL_DETAILS,
        default: 'summary',
        description:
          '"full": the whole definition of the best match, so of the tool that the query names. "evidence": why each matches.',
      },
      include: {
        type: 'string',
        enum: SCOPES,
        default: 'all',
        description:
          '"ready": only of running servers. "all": also of those that start when called. "known": also tools that cannot be ' +
          'called now.',
      },
    },
    required: ['query'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      total: { type: 'integer', description: 'How many tools match.' },
      returned: { type: 'integer', description: 'How many of them are in this answer.' },
      nextCursor: { type: 'string' },
      tools: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            name: { type: 'string', description: 'The name to call the tool by.' },
            parameters: { type: 'string', description: 'As in a signature: path: string, limit?: integer, …+2' },
            description: { type: 'string', description: 'Its first sentence, unless detail is "full" or "evidence".' },
            destructive: { const: true, description: 'It may destroy, as its server says.' },
            state: { type: 'string', description: 'State of its server, unless that runs.' },
            needs: { type: 'array', items: { type: 'integer' }, description: 'Which needs it serves, from 1.' },
            inputSchema: { type: 'object' },
          },
          required: ['name'],
        },
      },
      needs: {
        type: 'array',
        items: { type: 'object', properties: { text: { type: 'string' }, weak: { type: 'boolean' } } },
        description: 'Parts of the query.',
      },
      weak: { type: 'boolean', description: 'Probably none of these is what was meant.' },
      hint: { type: 'string', description: 'What to try instead.' },
      error: {
        type: 'object',
        properties: { code: { type: 'string' }, message: { type: 'string' } },
        required: ['code', 'message'],
        description: 'What is wrong with the request. There is nothing else then.',
      },
    },
    // Some clients check error payloads against the schema too.
    anyOf: [{ required: ['total', 'returned', 'tools'] }, { required: ['error'] }],
  },
}) as ToolDefinition;

/** A native tool of every registry. It also finds itself. */
export const SEARCH_TOOL: NativeTool = { definition, target: { kind: 'search' } };
