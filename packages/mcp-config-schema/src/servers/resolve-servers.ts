import type { ConfigLayer, McpSettings, ServerConfig, SourcePosition } from '../config.js';
import { type ConfigFile, reportTooManyServers } from '../config-file.js';
import type { ConfigPath } from '../issues.js';
import { quoted } from '../printable.js';
import { limits } from '../source/limits.js';
import type { SourceText } from '../source/source-text.js';
import type { TemplateScope } from './expand-in.js';
import { resolveServer } from './resolve-server.js';

/**
 * The servers of all texts, one for each name: that of the strongest layer, whole. A name that stands in two texts of
 * one layer is reported.
 *
 * @param files - Strongest layer first.
 */
export function resolveServers(
  files: readonly ConfigFile[],
  settings: McpSettings,
  scope: TemplateScope,
): readonly ServerConfig[] {
  const servers: ServerConfig[] = [];
  const claims = new Map<string, { readonly place: SourcePosition; readonly layer: ConfigLayer }>();
  for (const { source, layer, section, servers: entries } of files.filter(holdsServers)) {
    for (const name of source.keys([section])) {
      const path = [section, name];
      const claim = claims.get(name);
      if (claim !== undefined) {
        if (claim.layer === layer) reportDuplicate(name, claim.place, path, source);
        continue;
      }
      if (claims.size === limits.servers) {
        reportTooManyServers(source, section);
        return servers;
      }
      // An entry that is wrong keeps its name too: what it would override must not run in its place.
      claims.set(name, { place: source.position(path, { part: 'key' }), layer });
      const entry = entries.get(name);
      const server = entry && resolveServer({ name, source, layer, path, entry }, settings, scope);
      if (server !== undefined) servers.push(server);
    }
  }
  return servers;
}

/** A file with more servers than there may be has been reported, and none of them is looked at. */
function holdsServers({ kind, source, section }: ConfigFile): boolean {
  return kind !== 'tools' && source.keys([section]).length <= limits.servers;
}

function reportDuplicate(name: string, first: SourcePosition, path: ConfigPath, source: SourceText): void {
  const message = `Server ${quoted(name)} stands in two files: also in ${first.file ?? 'another text'}, line ${first.line}`;
  const hint = 'rename one of the two, or remove it';
  const fault = { code: 'duplicate-server', severity: 'error', message, server: name, first, hint } as const;
  source.report(fault, path, { part: 'key' });
}
