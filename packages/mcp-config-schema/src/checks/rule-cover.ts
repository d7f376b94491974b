import { readingsOf, readName } from '@x/internal/names';
import type { ServerNames } from '../config-file.js';
import { spellingsOf } from '../servers/tool-name.js';

/** True if `wide` matches everything that `narrow` matches. `*` is any text; other characters are literal. */
export function coversPattern(wide: string, narrow: string): boolean {
  const star = wide.indexOf('*');
  if (star === -1) return wide === narrow;
  if (!narrow.startsWith(wide.slice(0, star))) return false; // fast path for most pairs
  // No piece of `wide` contains a `*`, so only a `*` of `wide` can match the `*` of `narrow`.
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

/** True if some text matches both patterns. */
export function patternsMeet(one: string, other: string): boolean {
  if (!one.includes('*')) return coversPattern(other, one);
  if (!other.includes('*')) return coversPattern(one, other);
  // The parts between the first and last `*` can follow each other, so only the ends must agree.
  const [start, end] = endsOf(one);
  const [otherStart, otherEnd] = endsOf(other);
  return (
    (start.startsWith(otherStart) || otherStart.startsWith(start)) && (end.endsWith(otherEnd) || otherEnd.endsWith(end))
  );
}

function endsOf(pattern: string): readonly [string, string] {
  return [pattern.slice(0, pattern.indexOf('*')), pattern.slice(pattern.lastIndexOf('*') + 1)];
}

/** True if a rule allows all that another one allows: `git` and `git.*` cover `git.log`. */
export function coversRule(wide: string, narrow: string, meanings: RuleMeanings): boolean {
  if (wide === narrow) return true;
  const meaning = meanings.of(narrow);
  if (meaning === undefined || !allowsTool(wide, meaning.server, meaning.tool)) return false;
  return (readName(wide, (name) => meanings.servers.has(name))?.server ?? meaning.server) === meaning.server;
}

interface RuleMeaning {
  readonly server: string;
  readonly tool: string;
}

/** Meanings of rules. Computes each one once, because a rule is compared with many others. */
export class RuleMeanings {
  readonly servers: ServerNames;
  readonly #known = new Map<string, RuleMeaning | undefined>();

  constructor(servers: ServerNames) {
    this.servers = servers;
  }

  /** `undefined` for a whole server and for tools without a server. */
  of(rule: string): RuleMeaning | undefined {
    if (!this.#known.has(rule)) this.#known.set(rule, meaningOf(rule, this.servers));
    return this.#known.get(rule);
  }
}

function meaningOf(rule: string, servers: ServerNames): RuleMeaning | undefined {
  if (hasMisplacedStar(rule, servers)) return undefined;
  const readings = Array.from(readingsOf(rule));
  const known = readings.find(({ server }) => servers.has(server));
  const { server, part } = known ?? readings.findLast((reading) => reading.part !== undefined) ?? {};
  return server === undefined || part === undefined ? undefined : { server, tool: part };
}

/**
 * True for a `*` on its own or in a server name. Server names are exact, so that a rule does not apply to servers added
 * later.
 */
export function hasMisplacedStar(rule: string, servers: ServerNames): boolean {
  if (!rule.includes('*') || servers.has(rule)) return false;
  for (const { server } of readingsOf(rule)) if (!server.includes('*') || servers.has(server)) return false;
  return true;
}

function allowsTool(rule: string, server: string, tool: string): boolean {
  if (rule === server) return true;
  // The last spelling is the tool name alone, which allows no tool of a server.
  return spellingsOf(server, '')
    .slice(0, -1)
    .some((prefix) => rule.startsWith(prefix) && coversPattern(rule.slice(prefix.length), tool));
}
