import { copyJson } from '../catalog/json-copy.js';
import { SEARCH_TOOL_NAME } from '../catalog/public-name.js';
import type { NativeTool } from '../catalog/snapshot.js';
import type { ToolDefinition } from '../catalog/tool-view.js';
import { isRegistryError } from '../errors.js';
import type { ToolArguments, ToolCallResult } from '../source.js';
import {
  DEFAULT_LIMIT,
  DETAILS,
  MAX_LIMIT,
  MAX_PATTERN_LENGTH,
  MAX_QUERY_LENGTH,
  type SearchRequest,
  type SearchResult,
} from './search-request.js';

// Plain words only: an example task in here would make this tool a hit for that task.
const DESCRIPTION =
  'Search tools: finds the tools that are available right now by what they do. Query with words for the task, with the ' +
  'name of a tool or server, or with useRegex by a regular expression, which is looked for in the name, server, title, ' +
  'keywords, description and parameter names of each tool. The answer is exactly what can be called at this moment, ' +
  'best match first; call a tool by its "name". With detail "full" each tool comes with its input schema.';

// The copy of a definition is a definition.
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
        description: `Read the query as a regular expression (RE2 syntax, case-sensitive unless it begins with (?i), at most ${MAX_PATTERN_LENGTH} characters).`,
      },
      server: { type: 'string', description: 'Only tools of this server.' },
      limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
      detail: {
        enum: DETAILS,
        default: 'summary',
        description: '"names": names only. "summary": with descriptions. "full": with input schemas too.',
      },
    },
    required: ['query'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      mode: { enum: ['keyword', 'regex'] },
      total: { type: 'integer', description: 'How many tools match.' },
      returned: { type: 'integer', description: 'How many of them are in this answer.' },
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
            state: { type: 'string', description: 'State of the server; a stopped one may start when it is called.' },
            inputSchema: { type: 'object' },
          },
          required: ['name', 'tool', 'score', 'state'],
        },
      },
      hint: { type: 'string', description: 'After a miss: what to try instead.' },
    },
    required: ['mode', 'total', 'returned', 'revision', 'tools'],
  },
}) as ToolDefinition;

/** The native tool that every registry has. It is in the registry like any other tool, so it finds itself. */
export const SEARCH_TOOL: NativeTool = { definition, target: { kind: 'search' } };

/**
 * Answers a call of the tool. What is wrong with the request is an error payload that says so: an empty list would
 * tell the model that there are no such tools.
 */
export async function answerSearchTool(
  args: ToolArguments,
  search: (request: SearchRequest) => Promise<SearchResult>,
): Promise<ToolCallResult> {
  try {
    // search() refuses, with the name of the field, whatever is not a request.
    const result = await search({ query: '', ...args } as SearchRequest);
    const text = JSON.stringify(result);
    return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) };
  } catch (error) {
    const payload = toErrorPayload(error);
    return { content: [{ type: 'text', text: JSON.stringify(payload) }], structuredContent: payload, isError: true };
  }
}

function toErrorPayload(error: unknown) {
  if (isRegistryError(error)) {
    const { code, message, reason, position } = error;
    return {
      error: {
        code,
        message,
        ...(reason === undefined ? {} : { reason }),
        ...(position === undefined ? {} : { position }),
      },
    };
  }
  if (error instanceof TypeError) return { error: { code: 'invalid-arguments', message: error.message } };
  throw error;
}
