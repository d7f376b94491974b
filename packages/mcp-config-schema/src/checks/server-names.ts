import type { ConfigFile } from '../config-file.js';

export interface ServerNames {
  has(name: string): boolean;
}

/** Includes invalid entries. */
export function configuredServers(files: readonly ConfigFile[]): ReadonlySet<string> {
  return new Set(files.flatMap(({ kind, source, section }) => (kind === 'tools' ? [] : source.keys([section]))));
}

/** Includes servers in tiers, which may be run by other means. */
export function knownServers(files: readonly ConfigFile[]): ReadonlySet<string> {
  const known = new Set(configuredServers(files));
  for (const { toolParts } of files) {
    for (const { mcp_tools } of toolParts.values()) {
      for (const server of Object.values(mcp_tools).flat()) known.add(server);
    }
  }
  return known;
}
