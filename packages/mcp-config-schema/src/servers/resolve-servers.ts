import type { McpSettings, ServerConfig, SourcePosition } from '../config.js';
import { type ConfigFile, reportTooManyServers } from '../config-file.js';
import { quoted } from '../printable.js';
import { limits } from '../source/limits.js';
import type { TemplateVariables } from '../template/expand-template.js';
import { resolveServer } from './resolve-server.js';

/** The servers of all texts; a name that stands in two of them is reported. */
export function resolveServers(
  files: readonly ConfigFile[],
  settings: McpSettings,
  variables: TemplateVariables,
): readonly ServerConfig[] {
  const servers: ServerConfig[] = [];
  const places = new Map<string, SourcePosition>();
  for (const { source, section, servers: entries } of files) {
    for (const name of source.keys([section])) {
      const entry = entries.get(name);
      if (entry === undefined) continue;
      const path = [section, name];
      const first = places.get(name);
      if (first !== undefined) {
        const message = `Server ${quoted(name)} stands in two files: also in ${first.file ?? 'another text'}, line ${first.line}`;
        const hint = 'rename one of the two, or remove it';
        source.report({ code: 'duplicate-server', severity: 'error', message, server: name, first, hint }, path, {
          part: 'key',
        });
        continue;
      }
      if (places.size === limits.servers) {
        reportTooManyServers(source, section);
        return servers;
      }
      places.set(name, source.position(path, { part: 'key' }));
      const server = resolveServer({ name, source, path, entry }, settings, variables);
      if (server !== undefined) servers.push(server);
    }
  }
  return servers;
}
