import type { z } from 'zod';
import { always, checkLaunch } from './entry-rules.js';
import {
  environmentSchema,
  filledText,
  flag,
  headersSchema,
  listOf,
  mappingOf,
  nameSchema,
  oneOf,
  openMapping,
  optional,
  text,
} from './fields.js';

const typeWords = ['stdio', 'http', 'sse', 'streamable-http', 'streamableHttp', 'streamable_http'] as const;

export const hostServerSchema = openMapping(
  () => ({
    type: optional(oneOf(typeWords), 'Transport; by default determined by command or url'),
    command: optional(filledText(), 'Program that starts the server'),
    args: optional(listOf(text(), 'a list of texts'), 'Arguments of the program'),
    env: optional(environmentSchema(), 'Environment variables of the server'),
    cwd: optional(filledText(), 'Directory that the server runs in'),
    url: optional(filledText('an http:// or https:// address'), 'Address of a server that already runs'),
    headers: optional(headersSchema(), 'HTTP headers sent with every request'),
    disabled: optional(flag(), 'Keep the entry, but do not start the server'),
  }),
  'a mapping that describes a server',
).superRefine(checkLaunch, always);

const hostServers = () =>
  mappingOf(nameSchema(), hostServerSchema, 'a mapping of server names to servers').describe('MCP servers by name');

/** `mcp.json` of most host apps. Other keys belong to the host and are ignored. */
export const mcpJsonSchema = openMapping(() => ({ mcpServers: hostServers() }), 'a mapping with mcpServers');

/** `mcp.json` of VS Code: the same entries under another key. */
export const vscodeJsonSchema = openMapping(() => ({ servers: hostServers() }), 'a mapping with servers');

/** A file with `mcpServers`, such as `.mcp.json`. */
export type McpJson = z.infer<typeof mcpJsonSchema>;
/** A file with `servers`, as in VS Code. */
export type VscodeJson = z.infer<typeof vscodeJsonSchema>;
export type HostServerEntry = z.infer<typeof hostServerSchema>;
