import { readingsOf, readName } from '@x/internal/names';
import { spellingsOf } from '../servers/tool-name.js';
import type { ServerNames } from './server-names.js';

/** Whether a pattern matches everything that another one matches. `*` is any text, everything else is itself. */
export function coversPattern(wide: string, narrow: string): boolean {
  const star = wide.indexOf('*');
  if (star === -1) return wide === narrow;
  if (!narrow.startsWith(wide.slice(0, star))) return false; // most often; all that follows takes longer
  // The `*` of the narrow one is a character that no piece of the wide one has, so only a `*` of the wide one takes it.
  const [start = '', ...pieces] = wide.split('*');
  const end = pieces.pop() ?? '';
  if (narrow.length < start.length + end.length || !narrow.endsWith(end)) return false;

  let from = start.length;
  for (const piece of pieces) {
    const at = narrow.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return from <= narrow.length - end.length;
}

/** Whether there is a text that both patterns match. */
export function patternsMeet(one: string, other: string): boolean {
  if (!one.includes('*')) return coversPattern(other, one);
  if (!other.includes('*')) return coversPattern(one, other);
  // What stands between the first and the last `*` can follow one another, so only the ends have to agree.
  const [start, end] = endsOf(one);
  const [otherStart, otherEnd] = endsOf(other);
  return (
    (start.startsWith(otherStart) || otherStart.startsWith(start)) && (end.endsWith(otherEnd) || otherEnd.endsWith(end))
  );
}

function endsOf(pattern: string): readonly [string, string] {
  return [pattern.slice(0, pattern.indexOf('*')), pattern.slice(pattern.lastIndexOf('*') + 1)];
}

/**
 * Whether a role's rule allows everything that another one does: `git` and `git.*` cover `git.log`. A rule that fits several
 * servers means the longest.
 */
export function coversRule(wide: string, narrow: string, servers: ServerNames): boolean {
  if (wide === narrow) return true;
  const meaning = meaningOf(narrow, servers);
  if (meaning === undefined || !allowsTool(wide, meaning.server, meaning.tool)) return false;
  return (readName(wide, (name) => servers.has(name))?.server ?? meaning.server) === meaning.server;
}

/** What a rule means that names a server and a tool; nothing for a whole server and for tools of no server. */
export function meaningOf(rule: string, servers: ServerNames): { server: string; tool: string } | undefined {
  if (hasMisplacedStar(rule, servers)) return undefined;
  const readings = Array.from(readingsOf(rule));
  const known = readings.find(({ server }) => servers.has(server));
  const { server, part } = known ?? readings.findLast((reading) => reading.part !== undefined) ?? {};
  return server === undefined || part === undefined ? undefined : { server, tool: part };
}

/**
 * Whether a role's rule has a `*` where none is read, so that it allows nothing: alone, or in the name of a server.
 * Servers are named in full, because a new one must not come with what was allowed before it was there.
 */
export function hasMisplacedStar(rule: string, servers: ServerNames): boolean {
  if (!rule.includes('*') || servers.has(rule)) return false;
  for (const { server } of readingsOf(rule)) if (!server.includes('*') || servers.has(server)) return false;
  return true;
}

function allowsTool(rule: string, server: string, tool: string): boolean {
  if (rule === server) return true;
  // The last spelling is the tool's name alone, which allows nothing of a server.
  return spellingsOf(server, '')
    .slice(0, -1)
    .some((prefix) => rule.startsWith(prefix) && coversPattern(rule.slice(prefix.length), tool));
}
