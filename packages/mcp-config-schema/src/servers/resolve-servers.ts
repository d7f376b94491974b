import type { ToolOverrides } from '@x/internal/contracts';
import { type HealthFields, healthCheckTimeout, second } from '@x/internal/server-fields';
import { quoted } from '@x/internal/text';
import type { ConfigLayer, HealthCheck, McpSettings, ServerConfig } from '../config.js';
import { type ConfigFile, type DeclaredServer, maxServers, reportTooManyServers } from '../config-file.js';
import { Claims, isAtMost, strongest } from '../layers.js';
import { readFields } from '../schema/server-fields.js';
import { type McpServerEntry, mcpSettingsSchema } from '../schema/server-files.js';
import { valueAt } from '../schema/values.js';
import { checkLaunchTexts, type LaunchScope, resolveLaunch, secretReferences } from './resolve-launch.js';
import { ownToolName } from './tool-name.js';

/**
 * Servers of all texts, each from the strongest layer. Reports names in two texts of one layer.
 *
 * @param files - Strongest layer first.
 */
export function resolveServers(
  files: readonly ConfigFile[],
  settings: LayeredSettings,
  scopeOf: (file: ConfigFile) => LaunchScope,
): readonly ServerConfig[] {
  const servers: ServerConfig[] = [];
  const claims = new Claims((server, first, where) => {
    const message = `Server ${quoted(server)} ${where}`;
    const hint = 'rename one of the two, or remove it';
    return { code: 'duplicate-server', severity: 'error', message, server, first, hint };
  });
  for (const file of files.filter(hasServers)) {
    const { source, layer, section } = file;
    const scope = scopeOf(file);
    for (const name of source.keys([section])) {
      if (!claims.has(name) && claims.size === maxServers) {
        reportTooManyServers(source, section);
        return servers;
      }
      const path = [section, name];
      // An invalid entry also claims its name: the entry that it overrides must not run in its place.
      if (claims.claim(name, path, file) !== 'first') continue;
      const entry = file.servers.get(name);
      const parts = file.serverParts.get(name);
      if (entry !== undefined) {
        const server = resolveServer({ name, source, layer, path, entry }, settings.of(layer), scope);
        if (server !== undefined) servers.push(server);
      } else if (parts !== undefined) {
        checkLaunchTexts({ name, source, layer, path, entry: parts }, scope);
      }
    }
  }
  return servers;
}

function hasServers({ kind, source, section }: ConfigFile): boolean {
  return kind !== 'tools' && source.keys([section]).length <= maxServers;
}

function resolveServer(server: DeclaredServer, settings: McpSettings, scope: LaunchScope): ServerConfig | undefined {
  const { name, entry, source, layer, path } = server;
  const launch = resolveLaunch(server, scope);
  if (launch === undefined) return undefined;
  const fields = readFields(entry, settings);
  return {
    name,
    ...launch,
    secrets: secretReferences(server, { keepsVariables: scope.variables === 'keep' }),
    source: source.position(path, { part: 'key' }),
    layer,
    package: entry.package,
    tags: entry.tags ?? [],
    ...fields,
    autoStart: !fields.disabled && (fields.eager || fields.autoStart),
    allowedTools: fields.allowedTools?.map((tool) => ownToolName(name, tool)),
    deniedTools: fields.deniedTools.map((tool) => ownToolName(name, tool)),
    health: resolveHealthCheck(name, fields.health, entry.health_check),
    ...(entry.tools && { tools: ownOverrides(server, entry.tools) }),
    ...(settings.logDirectorySource && {
      logDirectory: settings.logDirectory,
      logDirectorySource: settings.logDirectorySource,
    }),
    ...(entry.fleet && { placement: entry.fleet.placement }),
  };
}

function resolveHealthCheck(
  server: string,
  { intervalMs }: HealthFields,
  check: McpServerEntry['health_check'],
): HealthCheck {
  const timeoutMs = check === undefined ? healthCheckTimeout.default : check.timeout_seconds * second;
  if (check?.method !== 'tool_call' || check.tool === undefined) return { method: 'ping', intervalMs, timeoutMs };

  return { method: 'tool_call', tool: ownToolName(server, check.tool), args: check.args, intervalMs, timeoutMs };
}

/** Reports a tool that has two overrides, under different spellings of its name. */
function ownOverrides(
  { name, source, path }: DeclaredServer,
  tools: NonNullable<McpServerEntry['tools']>,
): ToolOverrides {
  const written = new Map<string, string>();
  for (const key of Object.keys(tools)) {
    const tool = ownToolName(name, key);
    const other = written.get(tool);
    if (other === undefined) {
      written.set(tool, key);
      continue;
    }
    const first = source.position([...path, 'tools', other], { part: 'key' });
    const message = `${quoted(key)} is the tool that is already set as ${quoted(other)} on line ${first.line}`;
    const hint = 'keep one of the two';
    source.report({ code: 'duplicate-key', severity: 'error', message, key, first, hint }, [...path, 'tools', key], {
      part: 'key',
    });
  }
  return Object.fromEntries(Array.from(written, ([tool, key]) => [tool, tools[key] ?? {}]));
}

interface LayeredSettings {
  /** Each setting from the strongest layer that has it. */
  readonly all: McpSettings;
  /** Settings for servers of a layer: from that layer or weaker ones. */
  of(layer: ConfigLayer): McpSettings;
}

/**
 * Reads `mcp_settings`. A setting applies to servers of its own layer and stronger ones, so a project does not change
 * the user's servers. Reports a setting in two texts of one layer.
 *
 * @param files - Strongest layer first.
 */
export function resolveSettings(files: readonly ConfigFile[]): LayeredSettings {
  const claims = new Claims((key, first, where) => {
    const message = `The setting ${key} ${where}`;
    return { code: 'duplicate-key', severity: 'error', message, key, first, hint: 'keep one of the two' };
  });
  for (const file of files) {
    if (file.kind !== 'mcp-servers') continue;
    for (const key of file.source.keys(['mcp_settings'])) claims.claim(key, ['mcp_settings', key], file);
  }
  const known = new Map<ConfigLayer, McpSettings>();
  const of = (layer: ConfigLayer): McpSettings => {
    const settings = known.get(layer) ?? settingsIn(files.filter((file) => isAtMost(file.layer, layer)));
    known.set(layer, settings);
    return settings;
  };
  return { all: of(strongest), of };
}

function settingsIn(files: readonly ConfigFile[]): McpSettings {
  const written: Record<string, unknown> = {};
  let logDirectorySource: McpSettings['logDirectorySource'];
  for (const { kind, source, data } of files) {
    if (kind !== 'mcp-servers') continue;
    for (const key of source.keys(['mcp_settings'])) {
      if (Object.hasOwn(written, key)) continue;
      const path = ['mcp_settings', key];
      written[key] = valueAt(data, path);
      if (key === 'log_directory') logDirectorySource = source.position(path, { part: 'key' });
    }
  }
  // Invalid settings have been reported with their file; defaults allow further checks.
  const settings = mcpSettingsSchema.safeParse(written).data ?? mcpSettingsSchema.parse({});
  return {
    autoStartDefault: settings.auto_start_default,
    healthCheckIntervalMs: settings.health_check_interval_seconds * 1_000,
    startupTimeoutMs: settings.startup_timeout_seconds * 1_000,
    shutdownTimeoutMs: settings.shutdown_timeout_seconds * 1_000,
    logDirectory: settings.log_directory,
    logDirectorySource,
  };
}
