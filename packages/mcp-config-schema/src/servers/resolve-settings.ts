import type { ConfigLayer, McpSettings, SourcePosition } from '../config.js';
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
  const claims = new Map<string, { readonly place: SourcePosition; readonly layer: ConfigLayer }>();
  for (const { kind, source, layer, data } of files) {
    if (kind !== 'mcp-servers') continue;
    for (const key of source.keys(['mcp_settings'])) {
      const path = ['mcp_settings', key];
      const claim = claims.get(key);
      if (claim === undefined) {
        claims.set(key, { place: source.position(path, { part: 'key' }), layer });
        written[key] = valueAt(data, path);
      } else if (claim.layer === layer) {
        const first = claim.place;
        const message = `The setting ${key} stands in two files: also in ${first.file ?? 'another text'}, line ${first.line}`;
        const hint = 'keep one of the two';
        source.report({ code: 'duplicate-key', severity: 'error', message, key, first, hint }, path, { part: 'key' });
      }
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
    logDirectorySource: claims.get('log_directory')?.place,
  };
}
