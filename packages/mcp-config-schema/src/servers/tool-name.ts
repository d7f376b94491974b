/** What public names of tools begin with: `mcp__server__tool`. */
const publicPrefix = 'mcp__';

/** A tool's name as its server knows it, out of `server.tool`, `server/tool`, `mcp__server__tool` or the name alone. */
export function ownToolName(server: string, written: string): string {
  const prefixes = [`${server}.`, `${server}/`, `${publicPrefix}${server}__`];
  const prefix = prefixes.find((each) => written.startsWith(each) && written.length > each.length);
  return prefix === undefined ? written : written.slice(prefix.length);
}

/** More than any server's name is long. Without a bound, a name of nothing but dots would take quadratic time. */
const longestServer = 256;

/** What may be a server and a tool in `server.tool`: a name may hold dots, so every dot may be the one between. */
export function* splitToolName(name: string): Iterable<{ readonly server: string; readonly tool: string }> {
  for (let dot = name.indexOf('.'); dot !== -1 && dot <= longestServer; dot = name.indexOf('.', dot + 1)) {
    yield { server: name.slice(0, dot), tool: name.slice(dot + 1) };
  }
}

/**
 * What may be a server and a tool in a role's rule, in whatever spelling: `server.tool`, `server/tool` or `mcp__server__tool`.
 * Each of these separators may be in a name as well.
 */
export function* splitToolRule(rule: string): Iterable<{ readonly server: string; readonly tool: string }> {
  if (rule.startsWith(publicPrefix)) {
    const rest = rule.slice(publicPrefix.length);
    for (let at = rest.indexOf('__', 1); at !== -1 && at <= longestServer; at = rest.indexOf('__', at + 1)) {
      yield { server: rest.slice(0, at), tool: rest.slice(at + 2) };
    }
  }
  for (const { index } of rule.slice(0, longestServer + 1).matchAll(/[./]/g)) {
    yield { server: rule.slice(0, index), tool: rule.slice(index + 1) };
  }
}

/** Every text that a rule may mean a server's tool by, or several of them with `*`. The last one is its own name alone. */
export function spellingsOf(server: string, tool: string): readonly string[] {
  return [`${server}.${tool}`, `${server}/${tool}`, `${publicPrefix}${server}__${tool}`, tool];
}
