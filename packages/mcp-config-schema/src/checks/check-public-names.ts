import type { SourcePosition } from '../config.js';
import type { ConfigFile } from '../config-file.js';
import { quoted } from '../printable.js';

/**
 * Warns of servers that differ only in characters which public tool names cannot hold. `mcp__<server>__<tool>` has
 * letters, digits, `_` and `-`; whoever replaces the others gets the same name for two servers.
 */
export function checkPublicNames(files: readonly ConfigFile[]): void {
  const places = new Map<string, { readonly server: string; readonly place: SourcePosition }>();
  for (const { kind, source, section } of files) {
    for (const server of kind === 'tools' ? [] : source.keys([section])) {
      if (server.length > 128) continue; // no name at all, which has been said
      const path = [section, server];
      const cleaned = server.replace(/[^A-Za-z0-9_-]/gu, '_');
      const earlier = places.get(cleaned);
      if (earlier === undefined) places.set(cleaned, { server, place: source.position(path, { part: 'key' }) });
      if (earlier === undefined || earlier.server === server) continue;
      const message = `Tools of ${quoted(server)} and of ${quoted(earlier.server)} both get names that begin with mcp__${cleaned}__`;
      const hint = 'rename one of the two, best with letters, digits, "_" and "-" alone';
      const fault = { code: 'colliding-names', severity: 'warning', message, server, hint } as const;
      source.report({ ...fault, first: earlier.place }, path, { part: 'key' });
    }
  }
}
