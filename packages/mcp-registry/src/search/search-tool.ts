import { copyJson } from '@x/internal/json';
import { SEARCH_TOOL_NAME } from '@x/internal/names';
import type { NativeTool } from '../catalog/snapshot.js';
import type { ToolDefinition } from '../catalog/tool-view.js';
import {
  DEFAULT_LIMIT,
  DETAILS,
  MAX_CURSOR_LENGTH,
  MAX_LIMIT,
  MAX_PATTERN_LENGTH,
  MAX_QUERY_LENGTH,
  MODES,
  SCOPES,
} from './search-request.js';

// An example task would make this tool a hit for that task.
const DESCRIPTION =
  'Search tools: finds the tools that are available right now by what they do. Query with words for the task, with the ' +
  'name of a tool, or with useRegex by a regular expression. The answer is exactly what can be called at this moment, ' +
  'best match first. Call a tool by its "name"; detail "full" gives its input schema.';

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
        description: 'Words for what the tool should do, or its name. "*" or an empty text lists all tools.',
      },
      useRegex: {
        type: 'boolean',
        default: false,
        description:
          'Whether the query is a regular expression (RE2 syntax, no lookaround or backreferences, case-sensitive unless it ' +
          `begins with (?i), at most ${MAX_PATTERN_LENGTH} characters), tried on each name, server, title, keyword, ` +
          'description and parameter name by itself.',
      },
      server: { type: 'string', description: 'Only tools of this server.' },
      limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
      cursor: {
        type: 'string',
        maxLength: MAX_CURSOR_LENGTH,
        description: 'nextCursor of the answer before, for the same query and options.',
      },
      detail: {
        type: 'string',
        enum: DETAILS,
        default: 'summary',
        description: '"names": names only. "summary": with descriptions. "full": with schemas and annotations too.',
      },
      include: {
        type: 'string',
        enum: SCOPES,
        default: 'all',
        description:
          '"ready": only tools of servers that run already. "all": also those that start when called. "known": also those ' +
          'that cannot be called now.',
      },
    },
    required: ['query'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      mode: { type: 'string', enum: MODES },
      total: { type: 'integer', description: 'How many tools match.' },
      returned: { type: 'integer', description: 'How many of them are in this answer.' },
      truncated: { type: 'boolean', description: 'Whether more match; nextCursor asks for them.' },
      nextCursor: { type: 'string' },
      revision: { type: 'integer', description: 'Changes whenever the available tools change.' },
      tools: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            name: { type: 'string', description: 'The name to call the tool by.' },
            server: { type: 'string', description: 'Left out for tools that belong to no server.' },
            tool: { type: 'string', description: "The tool's own name on its server." },
            title: { type: 'string' },
            description: { type: 'string' },
            score: { type: 'number', description: 'Comparable within this answer only.' },
            coverage: { type: 'number', description: 'How much of the query the tool has, 0 to 1.' },
            state: { type: 'string', description: 'State of the server; a stopped one may start when it is called.' },
            matched: {
              type: 'array',
              items: {
                type: 'object',
                properties: {
                  field: { type: 'string' },
                  terms: { type: 'array', items: { type: 'string' } },
                },
                required: ['field', 'terms'],
              },
            },
            inputSchema: { type: 'object' },
            outputSchema: { type: 'object' },
            annotations: { type: 'object', description: 'Hints of the server, such as destructiveHint. Unverified.' },
            keywords: { type: 'array', items: { type: 'string' } },
          },
          required: ['name', 'tool', 'score', 'coverage', 'state', 'matched'],
        },
      },
      unmatchedTerms: {
        type: 'array',
        items: { type: 'string' },
        description: 'Words of the query that no tool has.',
      },
      weak: { type: 'boolean', description: 'Probably none of these is what was meant.' },
      hint: { type: 'string', description: 'What to try instead.' },
      suggestions: { type: 'array', items: { type: 'string' }, description: 'Names near to the query.' },
      scanned: { type: 'integer', description: 'How many tools the pattern was tried on.' },
      timedOut: { type: 'boolean', description: 'The pattern took too long to try it on all tools.' },
      error: {
        type: 'object',
        properties: { code: { type: 'string' }, message: { type: 'string' } },
        required: ['code', 'message'],
        description: 'What is wrong with the request. There is nothing else then.',
      },
    },
    // Some clients check error payloads against the schema too.
    anyOf: [
      { required: ['mode', 'total', 'returned', 'truncated', 'revision', 'tools', 'unmatchedTerms'] },
      { required: ['error'] },
    ],
  },
}) as ToolDefinition;

/** A native tool of every registry. It also finds itself. */
export const SEARCH_TOOL: NativeTool = { definition, target: { kind: 'search' } };
