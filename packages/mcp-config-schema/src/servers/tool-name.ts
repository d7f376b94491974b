import { SOURCE_PREFIX } from '@x/internal/names';

/** A tool's name as its server knows it, out of `server.tool`, `server/tool`, `mcp__server__tool` or the name alone. */
export function ownToolName(server: string, written: string): string {
  const prefixes = [`${server}.`, `${server}/`, `${SOURCE_PREFIX}${server}__`];
  const prefix = prefixes.find((each) => written.startsWith(each) && written.length > each.length);
  return prefix === undefined ? written : written.slice(prefix.length);
}

/** Every text that a rule may mean a server's tool by, or several of them with `*`. The last one is its own name alone. */
export function spellingsOf(server: string, tool: string): readonly string[] {
  return [`${server}.${tool}`, `${server}/${tool}`, `${SOURCE_PREFIX}${server}__${tool}`, tool];
}
