import type { ToolIdentity } from '../catalog/public-name.js';

/**
 * Whether a rule's pattern means this tool: `server.tool`, with `*` anywhere in the tool part for any text, `server`
 * for all of a server's tools, or a native tool's name. Nothing else is special, in server names nothing at all.
 *
 * Names may contain dots, so `a.b.c` means tool `b.c` of server `a` as well as tool `c` of server `a.b`.
 */
export function matchesTool(pattern: string, { server, tool }: ToolIdentity): boolean {
  if (server === undefined) return pattern === tool;
  if (pattern === server) return true;
  return pattern.startsWith(`${server}.`) && matchesStars(pattern.slice(server.length + 1), tool);
}

/** Takes each piece between stars at its first place; no later place could leave more room for the rest. */
function matchesStars(pattern: string, text: string): boolean {
  const [start = '', ...pieces] = pattern.split('*');
  const end = pieces.pop();
  if (end === undefined) return text === start;
  if (text.length < start.length + end.length || !text.startsWith(start) || !text.endsWith(end)) return false;

  let from = start.length;
  for (const piece of pieces) {
    const at = text.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return from <= text.length - end.length;
}
