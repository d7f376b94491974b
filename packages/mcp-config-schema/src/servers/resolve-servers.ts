import { quoted } from '@x/internal/text';
import { Claims } from '../claims.js';
import type { ServerConfig } from '../config.js';
import { type ConfigFile, reportTooManyServers } from '../config-file.js';
import { limits } from '../source/limits.js';
import type { TemplateScope } from './expand-in.js';
import { checkLaunchTexts } from './resolve-launch.js';
import { resolveServer } from './resolve-server.js';
import type { LayeredSettings } from './resolve-settings.js';

/**
 * Servers of all texts, each from the strongest layer. Reports names in two texts of one layer.
 *
 * @param files - Strongest layer first.
 */
export function resolveServers(
  files: readonly ConfigFile[],
  settings: LayeredSettings,
  scopeOf: (file: ConfigFile) => TemplateScope,
): readonly ServerConfig[] {
  const servers: ServerConfig[] = [];
  const claims = new Claims((server, first, where) => {
    const message = `Server ${quoted(server)} ${where}`;
    const hint = 'rename one of the two, or remove it';
    return { code: 'duplicate-server', severity: 'error', message, server, first, hint };
  });
  for (const file of files.filter(holdsServers)) {
    const { source, layer, section } = file;
    const scope = scopeOf(file);
    for (const name of source.keys([section])) {
      if (!claims.has(name) && claims.size === limits.servers) {
        reportTooManyServers(source, section);
        return servers;
      }
      const path = [section, name];
      // An invalid entry also claims its name: the entry that it overrides must not run in its place.
      if (claims.claim(name, path, source, layer) !== 'first') continue;
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

function holdsServers({ kind, source, section }: ConfigFile): boolean {
  return kind !== 'tools' && source.keys([section]).length <= limits.servers;
}
