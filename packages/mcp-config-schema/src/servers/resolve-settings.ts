import { Claims } from '../claims.js';
import type { ConfigLayer, McpSettings } from '../config.js';
import type { ConfigFile } from '../config-file.js';
import { isAtMost, strongest } from '../layers.js';
import { mcpSettingsSchema } from '../schema/mcp-servers-file.js';
import { valueAt } from '../schema/value-at.js';

export interface LayeredSettings {
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
  for (const { kind, source, layer } of files) {
    if (kind !== 'mcp-servers') continue;
    for (const key of source.keys(['mcp_settings'])) claims.claim(key, ['mcp_settings', key], source, layer);
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
