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
  seconds,
  text,
  wholeNumber,
} from './fields.js';

const healthCheckSchema = knownMapping(
  {
    method: oneOf(['ping', 'tool_call']).default('ping').describe('Ask the protocol itself, or call a tool'),
    tool: filledText().optional().describe('Tool to call, as "server.tool" or by its own name; for tool_call'),
    args: mappingOf(z.string(), z.unknown(), 'a mapping of argument names to values')
      .optional()
      .describe('Arguments of that call'),
    timeout_seconds: seconds(1, 30).default(5).describe('Longest wait for an answer'),
  },
  'a mapping with method, tool, args or timeout_seconds',
).superRefine(checkHealthCheck, always);

const commandError = expectation('a command line, or a list with the program and its arguments');
const packageError = expectation('the name of an npm package, with or without a version');

export const mcpServerSchema = knownMapping(
  {
    package: z
      .string({ error: packageError })
      .regex(/^(@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*(@[\w.^~+-]+)?$/i, { error: packageError })
      .optional()
      .describe('NPM package that brings the server; used in install hints'),
    command: z
      .union([filledText(), z.tuple([filledText()], text())], { error: commandError })
      .optional()
      .describe('Command that starts the server. One text is split as a shell would, unless "args" is there'),
    args: listOf(text(), 'a list of texts').optional().describe('Arguments; "command" is then the program alone'),
    env: environmentSchema.optional().describe('Environment variables of the server'),
    cwd: filledText().optional().describe('Directory that the server runs in'),
    url: filledText('an http:// or https:// address').optional().describe('Address of a server that already runs'),
    headers: headersSchema.optional().describe('HTTP headers sent with every request'),
    protocol: oneOf(['auto', 'legacy', '2026-07-28']).optional().describe('Protocol generation to speak'),
    auto_start: flag().optional().describe('Start automatically when needed'),
    health_check: healthCheckSchema.optional().describe('How to tell that the server works'),
    restart_on_failure: flag().default(true).describe('Start the server again when it exits by itself'),
    max_restart_attempts: wholeNumber(1, 10).default(3).describe('Failures in a row before it is left alone'),
    health_check_interval_seconds: seconds(10, 300).optional().describe('Overrides mcp_settings'),
    startup_timeout_seconds: seconds(1, 60).optional().describe('Overrides mcp_settings'),
    shutdown_timeout_seconds: seconds(1, 30).optional().describe('Overrides mcp_settings'),
    first_run_timeout_seconds: seconds(1, 3600)
      .optional()
      .describe('Startup timeout of the first start, when the package may have to be downloaded'),
    tags: listOf(filledText(), 'a list of texts').optional().describe('Words to find the server by'),
  },
  'a mapping that describes a server',
).superRefine(checkLaunch, always);

export const mcpSettingsSchema = knownMapping(
  {
    auto_start_default: flag().default(false).describe('auto_start of servers that do not say'),
    health_check_interval_seconds: seconds(10, 300).default(30).describe('Time between two health checks'),
    startup_timeout_seconds: seconds(1, 60).default(10).describe('From the start of a server to its first answer'),
    shutdown_timeout_seconds: seconds(1, 30).default(5).describe('From asking a server to stop to ending it'),
    log_directory: filledText().default('logs/mcp_servers').describe('Where servers may write their logs'),
  },
  'a mapping of settings',
);

/** `mcp_servers.yaml`: which servers there are, and how to start or reach each. */
export const mcpServersFileSchema = knownMapping(
  {
    mcp_servers: mappingOf(nameSchema, mcpServerSchema, 'a mapping of server names to servers').describe(
      'MCP servers by name',
    ),
    mcp_settings: mcpSettingsSchema.prefault({}).describe('Global MCP server settings'),
  },
  'a mapping with mcp_servers and mcp_settings',
);

export type McpServersFile = z.infer<typeof mcpServersFileSchema>;
export type McpServerEntry = z.infer<typeof mcpServerSchema>;
