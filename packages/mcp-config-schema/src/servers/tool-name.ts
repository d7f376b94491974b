import { SOURCE_PREFIX } from '@x/internal/names';

/** The tool name on the server, from `server.tool`, `server/tool`, `mcp__server__tool` or the plain name. */
export function ownToolName(server: string, written: string): string {
  const prefixes = [`${server}.`, `${server}/`, `${SOURCE_PREFIX}${server}__`];
  const prefix = prefixes.find((each) => written.startsWith(each) && written.length > each.length);
  return prefix === undefined ? written : written.slice(prefix.length);
}

/** All spellings of a server's tool in rules; `*` is allowed. The last one is the plain name. */
export function spellingsOf(server: string, tool: string): readonly string[] {
  return [`${server}.${tool}`, `${server}/${tool}`, `${SOURCE_PREFIX}${server}__${tool}`, tool];
}
