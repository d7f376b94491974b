import { healthCheckTimeout, second } from '@x/internal/server-fields';
import * as z from 'zod';
import { always, checkHealthCheck, checkLaunch } from './entry-rules.js';
import {
  environmentSchema,
  expectation,
  filledText,
  flag,
  headersSchema,
  knownMapping,
  listOf,
  mappingOf,
  nameSchema,
  oneOf,
  openMapping,
  optional,
  schemaReference,
  seconds,
  text,
  withDefault,
} from './fields.js';
import { fieldSchemas, settingSchema } from './server-fields.js';

export const healthCheckSchema = knownMapping(
  () => ({
    method: withDefault(oneOf(['ping', 'tool_call']), 'ping', 'A ping of the protocol, or a tool call'),
    tool: optional(filledText(), 'Tool to call, as "server.tool" or by its own name; for tool_call'),
    args: optional(
      mappingOf(z.string(), z.unknown(), 'a mapping of argument names to values'),
      'Arguments of that call',
    ),
    timeout_seconds: withDefault(
      seconds(healthCheckTimeout.min / second, healthCheckTimeout.max / second),
      healthCheckTimeout.default / second,
      'Maximum wait for the response',
    ),
  }),
  'a mapping with method, tool, args or timeout_seconds',
).superRefine(checkHealthCheck, always);

const authSchema = knownMapping(
  () => ({
    provider: filledText().describe('Name of a sign-in that the host app offers, such as "oauth"'),
    scopes: withDefault(listOf(filledText(), 'a list of scopes'), [], 'Scopes to request'),
  }),
  'a mapping with provider and scopes',
);

const fleetSchema = knownMapping(
  () => ({
    placement: withDefault(
      oneOf(['pinned', 'local', 'singleton', 'replicated']),
      'pinned',
      'Visible to other nodes as server@node, to no other node, or to all as one server that runs on one node or on each',
    ),
  }),
  'a mapping with placement',
);

const overrideSchema = knownMapping(
  () => ({
    title: optional(filledText(), 'Name of the tool for people'),
    description: optional(filledText(), 'What models read of the tool'),
    hidden: optional(flag(), 'Do not offer the tool'),
  }),
  'a mapping with title, description or hidden',
);

const commandError = expectation('a command line, or a list with the program and its arguments');
const packageError = expectation('the name of an npm package, with or without a version');

export const mcpServerSchema = knownMapping(
  () => ({
    package: optional(
      z
        .string({ error: packageError })
        .regex(/^(@[A-Za-z0-9~][\w.~-]*\/)?[A-Za-z0-9~][\w.~-]*(@[\w.^~+-]+)?$/, { error: packageError }),
      'NPM package that brings the server; used in install hints',
    ),
    command: optional(
      z.union([filledText(), z.tuple([filledText()], text())], { error: commandError }),
      'Command that starts the server. One text is split as a shell would, unless "args" is there',
    ),
    args: optional(listOf(text(), 'a list of texts'), 'Arguments; "command" is then the program alone'),
    env: optional(environmentSchema(), 'Environment variables of the server'),
    cwd: optional(filledText(), 'Directory that the server runs in'),
    url: optional(filledText('an http:// or https:// address'), 'Address of a server that already runs'),
    type: optional(
      oneOf(['http', 'sse']),
      'Transport behind the url, for host apps that need it. Here it is found out by itself',
    ),
    headers: optional(headersSchema(), 'HTTP headers sent with every request'),
    auth: optional(authSchema, 'Sign-in for requests; credentials stay out of the file'),
    health_check: optional(healthCheckSchema, 'Check that the server works'),
    ...fieldSchemas(),
    tools: optional(
      mappingOf(filledText('the name of a tool'), overrideSchema, 'a mapping of tool names to what is shown of them'),
      "What is shown of tools in place of the server's own texts, by tool",
    ),
    tags: optional(listOf(filledText(), 'a list of texts'), 'Words to find the server by'),
    fleet: optional(fleetSchema, 'How the nodes of a fleet share the server'),
  }),
  'a mapping that describes a server',
).superRefine(checkLaunch, always);

export const defaultLogDirectory = 'logs/mcp_servers';
/** A folder in a project that asked for none would be a surprise, and would end up in its repository. */
const logDirectoryDescription =
  'Directory of server logs. Used only if it is written here: otherwise mcpx writes logs beside that of its daemon, and an app writes none';

export const mcpSettingsSchema = knownMapping(
  () => ({
    auto_start_default: withDefault(flag(), false, 'Default of auto_start'),
    health_check_interval_seconds: settingSchema('healthCheckIntervalMs', 'Time between two health checks'),
    startup_timeout_seconds: settingSchema('startupTimeoutMs', 'From the start of a server to its first response'),
    shutdown_timeout_seconds: settingSchema('shutdownTimeoutMs', 'From the request to stop to the forced end'),
    log_directory: withDefault(filledText(), defaultLogDirectory, logDirectoryDescription),
  }),
  'a mapping of settings',
);

/** JSON Schema of `mcp_servers.yaml`. */
export const mcpServersFileSchema = knownMapping(
  () => ({
    $schema: schemaReference(),
    mcp_servers: mappingOf(nameSchema(), mcpServerSchema, 'a mapping of server names to servers').describe(
      'MCP servers by name',
    ),
    mcp_settings: mcpSettingsSchema.prefault({}).describe('Global MCP server settings'),
  }),
  'a mapping with mcp_servers and mcp_settings',
);

export type McpServerEntry = z.infer<typeof mcpServerSchema>;

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

export type HostServerEntry = z.infer<typeof hostServerSchema>;
