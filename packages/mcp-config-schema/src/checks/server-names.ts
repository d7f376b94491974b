import type { ConfigFile } from '../config-file.js';

/** The names of servers that are known, as a set or a map of them. */
export interface ServerNames {
  has(name: string): boolean;
}

/** The servers that are configured, sound or not. */
export function configuredServers(files: readonly ConfigFile[]): ReadonlySet<string> {
  return new Set(files.flatMap(({ kind, source, section }) => (kind === 'tools' ? [] : source.keys([section]))));
}

/** Those and the ones that tools ask for, which may be run by other means. */
export function knownServers(files: readonly ConfigFile[]): ReadonlySet<string> {
  const known = new Set(configuredServers(files));
  for (const { toolParts } of files) {
    for (const { mcp_tools } of toolParts.values()) {
      for (const server of Object.values(mcp_tools).flat()) known.add(server);
    }
  }
  return known;
}
