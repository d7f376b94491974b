import { healthCheckTimeout, second } from '@x/internal/server-fields';
import type { HealthCheck, McpSettings, ServerConfig } from '../config.js';
import type { McpServerEntry } from '../schema/mcp-servers-file.js';
import { readFields } from '../schema/server-fields.js';
import type { DeclaredServer } from './declared-server.js';
import type { TemplateScope } from './expand-in.js';
import { resolveLaunch } from './resolve-launch.js';
import { secretReferences } from './secret-references.js';
import { ownToolName } from './tool-name.js';

export function resolveServer(
  server: DeclaredServer,
  settings: McpSettings,
  scope: TemplateScope,
): ServerConfig | undefined {
  const { name, entry, source, layer, path } = server;
  const launch = resolveLaunch(server, scope);
  if (launch === undefined) return undefined;
  const fields = readFields(entry);
  return {
    name,
    ...launch,
    secrets: secretReferences(server, { keepsVariables: scope.variables === 'keep' }),
    source: source.position(path, { part: 'key' }),
    layer,
    package: entry.package,
    tags: entry.tags ?? [],
    ...fields,
    autoStart: !fields.disabled && (fields.eager || (fields.autoStart ?? settings.autoStartDefault)),
    startupTimeoutMs: fields.startupTimeoutMs ?? settings.startupTimeoutMs,
    shutdownTimeoutMs: fields.shutdownTimeoutMs ?? settings.shutdownTimeoutMs,
    healthCheckIntervalMs: fields.healthCheckIntervalMs ?? settings.healthCheckIntervalMs,
    allowedTools: fields.allowedTools?.map((tool) => ownToolName(name, tool)),
    deniedTools: fields.deniedTools.map((tool) => ownToolName(name, tool)),
    healthCheck: resolveHealthCheck(name, entry.health_check),
    ...(settings.logDirectorySource && {
      logDirectory: settings.logDirectory,
      logDirectorySource: settings.logDirectorySource,
    }),
    ...(entry.fleet && { placement: entry.fleet.placement }),
  };
}

function resolveHealthCheck(server: string, check: McpServerEntry['health_check']): HealthCheck {
  const timeoutMs = check === undefined ? healthCheckTimeout.default : check.timeout_seconds * second;
  if (check?.method !== 'tool_call' || check.tool === undefined) return { method: 'ping', timeoutMs };

  return { method: 'tool_call', tool: ownToolName(server, check.tool), args: check.args, timeoutMs };
}
