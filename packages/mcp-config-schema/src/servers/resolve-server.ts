import type { HealthCheck, McpSettings, ServerConfig } from '../config.js';
import type { McpServerEntry } from '../schema/mcp-servers-file.js';
import type { DeclaredServer } from './declared-server.js';
import type { TemplateScope } from './expand-in.js';
import { resolveLaunch } from './resolve-launch.js';
import { secretReferences } from './secret-references.js';
import { ownToolName } from './tool-name.js';

/** Fills in every default of a server; `undefined` when something was reported on the way. */
export function resolveServer(
  server: DeclaredServer,
  settings: McpSettings,
  scope: TemplateScope,
): ServerConfig | undefined {
  const { name, entry, source, layer, path } = server;
  const launch = resolveLaunch(server, scope);
  if (launch === undefined) return undefined;
  return {
    name,
    ...launch,
    secrets: secretReferences(server, { keepsVariables: scope.variables === 'keep' }),
    source: source.position(path, { part: 'key' }),
    layer,
    package: entry.package,
    tags: entry.tags ?? [],
    autoStart: entry.auto_start ?? settings.autoStartDefault,
    protocol: entry.protocol ?? 'auto',
    startupTimeoutMs: milliseconds(entry.startup_timeout_seconds) ?? settings.startupTimeoutMs,
    shutdownTimeoutMs: milliseconds(entry.shutdown_timeout_seconds) ?? settings.shutdownTimeoutMs,
    firstRunTimeoutMs: milliseconds(entry.first_run_timeout_seconds),
    restartOnFailure: entry.restart_on_failure,
    maxRestartAttempts: entry.max_restart_attempts,
    healthCheck: resolveHealthCheck(name, entry.health_check),
    healthCheckIntervalMs: milliseconds(entry.health_check_interval_seconds) ?? settings.healthCheckIntervalMs,
    ...(settings.logDirectorySource && {
      logDirectory: settings.logDirectory,
      logDirectorySource: settings.logDirectorySource,
    }),
    idleStopMs: milliseconds(entry.idle_stop_seconds),
    memoryLimitBytes: entry.memory_limit_mb === undefined ? undefined : entry.memory_limit_mb * 1_048_576,
    maxConcurrentCalls: entry.max_concurrent_calls,
    connections: entry.connections,
    maxTools: entry.max_tools,
    priority: entry.priority,
    allowedTools: entry.allowed_tools?.map((tool) => ownToolName(name, tool)),
    deniedTools: entry.denied_tools.map((tool) => ownToolName(name, tool)),
    ...(entry.fleet && { placement: entry.fleet.placement }),
  };
}

function resolveHealthCheck(server: string, check: McpServerEntry['health_check']): HealthCheck {
  const timeoutMs = milliseconds(check?.timeout_seconds) ?? 5_000;
  if (check?.method !== 'tool_call' || check.tool === undefined) return { method: 'ping', timeoutMs };

  return { method: 'tool_call', tool: ownToolName(server, check.tool), args: check.args, timeoutMs };
}

function milliseconds(seconds: number): number;
function milliseconds(seconds: number | undefined): number | undefined;
function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}
