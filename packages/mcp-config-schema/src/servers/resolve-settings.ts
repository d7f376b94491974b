import { Claims } from '../claims.js';
import type { McpSettings } from '../config.js';
import type { ConfigFile } from '../config-file.js';
import { mcpSettingsSchema } from '../schema/mcp-servers-file.js';
import { valueAt } from '../schema/value-at.js';

/**
 * `mcp_settings` of all texts together, each setting from the strongest layer that has it. A setting that stands in two
 * texts of one layer is reported.
 *
 * @param files - Strongest layer first.
 */
export function resolveSettings(files: readonly ConfigFile[]): McpSettings {
  const written: Record<string, unknown> = {};
  const claims = new Claims((key, first, where) => {
    const message = `The setting ${key} ${where}`;
    return { code: 'duplicate-key', severity: 'error', message, key, first, hint: 'keep one of the two' };
  });
  for (const { kind, source, layer, data } of files) {
    if (kind !== 'mcp-servers') continue;
    for (const key of source.keys(['mcp_settings'])) {
      const path = ['mcp_settings', key];
      if (claims.claim(key, path, source, layer) === 'first') written[key] = valueAt(data, path);
    }
  }
  // A setting that is wrong has been reported with its file; the defaults let the rest be checked.
  const settings = mcpSettingsSchema.safeParse(written).data ?? mcpSettingsSchema.parse({});
  return {
    autoStartDefault: settings.auto_start_default,
    healthCheckIntervalMs: settings.health_check_interval_seconds * 1_000,
    startupTimeoutMs: settings.startup_timeout_seconds * 1_000,
    shutdownTimeoutMs: settings.shutdown_timeout_seconds * 1_000,
    logDirectory: settings.log_directory,
    logDirectorySource: claims.placeOf('log_directory'),
  };
}
