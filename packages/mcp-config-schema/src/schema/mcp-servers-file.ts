import { healthCheckTimeout, second } from '@x/internal/server-fields';
import { z } from 'zod';
import { always, checkHealthCheck, checkLaunch } from './entry-rules.js';
import { expectation } from './expectation.js';
import {
  environmentSchema,
  filledText,
  flag,
  headersSchema,
  knownMapping,
  listOf,
  mappingOf,
  nameSchema,
  oneOf,
  optional,
  schemaReference,
  seconds,
  text,
  withDefault,
} from './fields.js';
import { fieldSchemas, settingSchema, writtenDefault } from './server-fields.js';

export const healthCheckSchema = knownMapping(
  () => ({
    method: withDefault(oneOf(['ping', 'tool_call']), 'ping', 'Ask the protocol itself, or call a tool'),
    tool: optional(filledText(), 'Tool to call, as "server.tool" or by its own name; for tool_call'),
    args: optional(
      mappingOf(z.string(), z.unknown(), 'a mapping of argument names to values'),
      'Arguments of that call',
    ),
    timeout_seconds: withDefault(
      seconds(healthCheckTimeout.min / second, healthCheckTimeout.max / second),
      healthCheckTimeout.default / second,
      'Longest wait for an answer',
    ),
  }),
  'a mapping with method, tool, args or timeout_seconds',
).superRefine(checkHealthCheck, always);

const authSchema = knownMapping(
  () => ({
    provider: filledText().describe('Name of a sign-in that the host app offers, such as "oauth"'),
    scopes: withDefault(listOf(filledText(), 'a list of scopes'), [], 'What to ask permission for'),
  }),
  'a mapping with provider and scopes',
);

const fleetSchema = knownMapping(
  () => ({
    placement: withDefault(
      oneOf(['pinned', 'local', 'singleton', 'replicated']),
      'pinned',
      'Who else sees it: other nodes as server@node, nobody, or all as one server that runs once or on each node',
    ),
  }),
  'a mapping with placement',
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
    headers: optional(headersSchema(), 'HTTP headers sent with every request'),
    auth: optional(authSchema, 'Who signs requests in; the credentials themselves stay out of the file'),
    health_check: optional(healthCheckSchema, 'How to tell that the server works'),
    ...fieldSchemas(),
    tags: optional(listOf(filledText(), 'a list of texts'), 'Words to find the server by'),
    fleet: optional(fleetSchema, 'How nodes of a fleet share the server'),
  }),
  'a mapping that describes a server',
).superRefine(checkLaunch, always);

export const defaultLogDirectory = 'logs/mcp_servers';

export const mcpSettingsSchema = knownMapping(
  () => ({
    auto_start_default: withDefault(flag(), false, 'auto_start of servers that do not say'),
    health_check_interval_seconds: setting('healthCheckIntervalMs', 'Time between two health checks'),
    startup_timeout_seconds: setting('startupTimeoutMs', 'From the start of a server to its first answer'),
    shutdown_timeout_seconds: setting('shutdownTimeoutMs', 'From asking a server to stop to ending it'),
    log_directory: withDefault(filledText(), defaultLogDirectory, 'Where servers may write their logs'),
  }),
  'a mapping of settings',
);

function setting(name: Parameters<typeof writtenDefault>[0], description: string) {
  return withDefault(settingSchema(name), writtenDefault(name), description);
}

/** `mcp_servers.yaml`: which servers there are, and how to start or reach each. */
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

/** An `mcp_servers.yaml` as it is written: in its own spelling, without defaults. */
export type McpServersFile = z.infer<typeof mcpServersFileSchema>;
export type McpServerEntry = z.infer<typeof mcpServerSchema>;
