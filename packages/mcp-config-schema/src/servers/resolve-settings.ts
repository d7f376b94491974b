import type { McpSettings, SourcePosition } from '../config.js';
import type { ConfigFile } from '../config-file.js';
import { mcpSettingsSchema } from '../schema/mcp-servers-file.js';
import { valueAt } from '../schema/value-at.js';

/** `mcp_settings` of all texts together. A setting that stands in two of them is reported. */
export function resolveSettings(files: readonly ConfigFile[]): McpSettings {
  const written: Record<string, unknown> = {};
  const places = new Map<string, SourcePosition>();
  for (const { kind, source, data } of files) {
    if (kind !== 'mcp-servers') continue;
    for (const key of source.keys(['mcp_settings'])) {
      const path = ['mcp_settings', key];
      const first = places.get(key);
      if (first === undefined) {
        places.set(key, source.position(path, { part: 'key' }));
        written[key] = valueAt(data, path);
        continue;
      }
      const message = `The setting ${key} stands in two files: also in ${first.file ?? 'another text'}, line ${first.line}`;
      const hint = 'keep one of the two';
      source.report({ code: 'duplicate-key', severity: 'error', message, key, first, hint }, path, { part: 'key' });
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
    logDirectorySource: places.get('log_directory'),
  };
}
