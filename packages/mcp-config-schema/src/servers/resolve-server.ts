import type { HealthCheck, McpSettings, ServerConfig } from '../config.js';
import type { McpServerEntry } from '../schema/mcp-servers-file.js';
import type { TemplateVariables } from '../template/expand-template.js';
import type { DeclaredServer } from './declared-server.js';
import { expandIn } from './expand-in.js';
import { resolveLaunch } from './resolve-launch.js';

/** Fills in every default of a server; `undefined` when something was reported on the way. */
export function resolveServer(
  server: DeclaredServer,
  settings: McpSettings,
  variables: TemplateVariables,
): ServerConfig | undefined {
  const { name, entry, source, path } = server;
  const launch = resolveLaunch(server, expandIn(source, variables));
  if (launch === undefined) return undefined;
  return {
    name,
    ...launch,
    source: source.position(path, { part: 'key' }),
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
  };
}

function resolveHealthCheck(server: string, check: McpServerEntry['health_check']): HealthCheck {
  const timeoutMs = milliseconds(check?.timeout_seconds) ?? 5_000;
  if (check?.method !== 'tool_call' || check.tool === undefined) return { method: 'ping', timeoutMs };

  const prefix = `${server}.`;
  const isPrefixed = check.tool.startsWith(prefix) && check.tool.length > prefix.length;
  const tool = isPrefixed ? check.tool.slice(prefix.length) : check.tool;
  return { method: 'tool_call', tool, args: check.args, timeoutMs };
}

function milliseconds(seconds: number): number;
function milliseconds(seconds: number | undefined): number | undefined;
function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}
