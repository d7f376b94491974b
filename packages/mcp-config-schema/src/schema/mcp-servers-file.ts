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
  wholeNumber,
  withDefault,
} from './fields.js';

export const healthCheckSchema = knownMapping(
  () => ({
    method: withDefault(oneOf(['ping', 'tool_call']), 'ping', 'Ask the protocol itself, or call a tool'),
    tool: optional(filledText(), 'Tool to call, as "server.tool" or by its own name; for tool_call'),
    args: optional(
      mappingOf(z.string(), z.unknown(), 'a mapping of argument names to values'),
      'Arguments of that call',
    ),
    timeout_seconds: withDefault(seconds(1, 30), 5, 'Longest wait for an answer'),
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
      'Who else sees it: other hosts as server@host, nobody, or all as one server that runs once or on each host',
    ),
  }),
  'a mapping with placement',
);

const toolPatterns = () => listOf(filledText(), 'a list of tool names');

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
    protocol: optional(oneOf(['auto', 'legacy', '2026-07-28']), 'Protocol generation to speak'),
    auto_start: optional(flag(), 'Start automatically when needed'),
    health_check: optional(healthCheckSchema, 'How to tell that the server works'),
    restart_on_failure: withDefault(flag(), true, 'Start the server again when it exits by itself'),
    max_restart_attempts: withDefault(wholeNumber(1, 10), 3, 'Restarts in a row before it is left alone'),
    health_check_interval_seconds: optional(seconds(10, 300), 'Overrides the setting of this name in mcp_settings'),
    startup_timeout_seconds: optional(seconds(1, 60), 'Overrides the setting of this name in mcp_settings'),
    shutdown_timeout_seconds: optional(seconds(1, 30), 'Overrides the setting of this name in mcp_settings'),
    first_run_timeout_seconds: optional(
      seconds(1, 3600),
      'Startup timeout of the first start, when the package may have to be downloaded',
    ),
    idle_stop_seconds: optional(
      seconds(10, 86_400),
      'Stop the server after this long without a call; the next call starts it again. Left out: never',
    ),
    memory_limit_mb: optional(
      wholeNumber(16, 1_048_576),
      'Memory that is too much, in MiB; the server is then started anew after its calls. Left out: no limit',
    ),
    max_concurrent_calls: withDefault(wholeNumber(1, 1_000), 16, 'Calls in flight at once; later ones wait'),
    connections: optional(
      oneOf(['shared', 'per-caller']),
      'One process for all, or one for each caller whose client can be asked something. Left out: shared',
    ),
    max_tools: optional(wholeNumber(1, 100_000), 'Tools that are listed; further ones are left out. Left out: 10,000'),
    priority: withDefault(wholeNumber(-100, 100), 0, 'Servers with a higher priority start first and stop last'),
    allowed_tools: optional(
      toolPatterns(),
      'The only tools of this server that are offered. Left out: all. "*" stands for any text',
    ),
    denied_tools: withDefault(toolPatterns(), [], 'Tools of this server that are never offered, even if allowed'),
    tags: optional(listOf(filledText(), 'a list of texts'), 'Words to find the server by'),
    fleet: optional(fleetSchema, 'How hosts of a fleet share the server'),
  }),
  'a mapping that describes a server',
).superRefine(checkLaunch, always);

export const defaultLogDirectory = 'logs/mcp_servers';

export const mcpSettingsSchema = knownMapping(
  () => ({
    auto_start_default: withDefault(flag(), false, 'auto_start of servers that do not say'),
    health_check_interval_seconds: withDefault(seconds(10, 300), 30, 'Time between two health checks'),
    startup_timeout_seconds: withDefault(seconds(1, 60), 10, 'From the start of a server to its first answer'),
    shutdown_timeout_seconds: withDefault(seconds(1, 30), 5, 'From asking a server to stop to ending it'),
    log_directory: withDefault(filledText(), defaultLogDirectory, 'Where servers may write their logs'),
  }),
  'a mapping of settings',
);

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
