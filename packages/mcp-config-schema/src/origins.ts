import type { ConfigLayer, SourcePosition } from './config.js';
import type { ConfigFile } from './config-file.js';
import type { ConfigPath } from './issues.js';
import { nameOfPath, valueAt } from './schema/values.js';

export interface ValueOrigin extends SourcePosition {
  readonly layer: ConfigLayer;
  /** Overridden positions in weaker layers, strongest first. */
  readonly overrides: readonly (SourcePosition & { readonly layer: ConfigLayer })[];
}

/**
 * Origins of effective values by path: `mcp_servers.git.args[0]`, `mcp_settings.log_directory`,
 * `tools.claude-code.binary`. Servers of `mcp.json` are under `mcp_servers`; defaults are missing. Servers and entries
 * of `tools` are overridden as a whole, settings one by one.
 *
 * @param files - Strongest layer first.
 */
export function originsOf(files: readonly ConfigFile[]): ReadonlyMap<string, ValueOrigin> {
  const origins = new Map<string, ValueOrigin>();
  for (const file of files) {
    const shownSection = file.kind === 'tools' ? 'tools' : 'mcp_servers';
    for (const name of file.source.keys([file.section])) add(origins, file, [file.section, name], [shownSection, name]);
    if (file.kind !== 'mcp-servers') continue;
    for (const key of file.source.keys(['mcp_settings'])) {
      add(origins, file, ['mcp_settings', key], ['mcp_settings', key]);
    }
  }
  return origins;
}

function add(origins: Map<string, ValueOrigin>, file: ConfigFile, path: ConfigPath, shown: ConfigPath): void {
  const { source, layer, data } = file;
  const name = nameOfPath(shown);
  const value = valueAt(data, path);
  const place = { ...source.position(path, { part: isContainer(value) ? 'key' : 'value' }), layer };
  const winner = origins.get(name);
  if (winner !== undefined) {
    if (winner.layer !== layer) origins.set(name, { ...winner, overrides: [...winner.overrides, place] });
    return;
  }
  origins.set(name, { ...place, overrides: [] });
  if (!isContainer(value)) return;
  const steps = Array.isArray(value) ? value.keys() : Object.keys(value);
  for (const step of steps) add(origins, file, [...path, step], [...shown, step]);
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
