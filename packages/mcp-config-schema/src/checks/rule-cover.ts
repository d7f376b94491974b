/** Whether a pattern matches everything that another one matches. `*` is any text, everything else is itself. */
export function coversPattern(wide: string, narrow: string): boolean {
  // The `*` of the narrow one is a character that no piece of the wide one has, so only a `*` of the wide one takes it.
  const [start = '', ...pieces] = wide.split('*');
  const end = pieces.pop();
  if (end === undefined) return wide === narrow;
  if (narrow.length < start.length + end.length || !narrow.startsWith(start) || !narrow.endsWith(end)) return false;

  let from = start.length;
  for (const piece of pieces) {
    const at = narrow.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return from <= narrow.length - end.length;
}

/** The names of servers that are known, as a set or a map of them. */
export interface ServerNames {
  has(name: string): boolean;
}

/**
 * Whether a role's rule allows everything that another one does: `git` and `git.*` cover `git.log`. Names of servers may
 * hold dots, so a rule that fits several servers has to be covered for each.
 */
export function coversRule(wide: string, narrow: string, servers: ServerNames): boolean {
  if (wide === narrow) return true;
  const meanings = meaningsOf(narrow, servers);
  return meanings.length > 0 && meanings.every(({ server, tool }) => allowsTool(wide, server, tool));
}

/** What a rule of the form `server.tool` can mean; nothing for a whole server and for tools of no server. */
export function meaningsOf(rule: string, servers: ServerNames): { server: string; tool: string }[] {
  if (servers.has(rule)) return [];
  const meanings: { server: string; tool: string }[] = [];
  for (let dot = rule.indexOf('.'); dot !== -1; dot = rule.indexOf('.', dot + 1)) {
    const server = rule.slice(0, dot);
    if (servers.has(server)) meanings.push({ server, tool: rule.slice(dot + 1) });
  }
  if (meanings.length > 0 || !rule.includes('.')) return meanings;
  const dot = rule.indexOf('.');
  return [{ server: rule.slice(0, dot), tool: rule.slice(dot + 1) }];
}

function allowsTool(rule: string, server: string, tool: string): boolean {
  return rule === server || (rule.startsWith(`${server}.`) && coversPattern(rule.slice(server.length + 1), tool));
}
