import type { ToolIdentity } from '../catalog/public-name.js';

/**
 * Whether a rule's pattern means this tool: `server.tool`, with `*` anywhere in the tool part for any text, `server`
 * for all of a server's tools, or a native tool's name. Nothing else is special, in server names nothing at all: a new
 * server must not come with what was allowed before it was there.
 *
 * Names may contain dots, so `a.b.c` means tool `b.c` of server `a` as well as tool `c` of server `a.b`.
 */
export function matchesTool(pattern: string, { server, tool }: ToolIdentity): boolean {
  if (server === undefined) return pattern === tool;
  return pattern === server || new StarPattern(pattern).meansToolOf(server, tool);
}

/** Whether a pattern with `*` for any text means the whole of a text. Takes time that grows with both, never more. */
export function matchesStars(pattern: string, text: string): boolean {
  return new StarPattern(pattern).matches(text);
}

/** A pattern that is taken apart once, to be asked about many texts. */
class StarPattern {
  readonly pattern: string;
  readonly #start: string;
  readonly #pieces: readonly string[];
  /** `undefined`: there is no star. */
  readonly #end: string | undefined;
  /** What is left after so many characters, which is asked for again and again with the same servers. */
  readonly #rests = new Map<number, StarPattern>();

  constructor(pattern: string) {
    const [start = '', ...pieces] = pattern.split('*');
    this.pattern = pattern;
    this.#start = start;
    this.#end = pieces.pop();
    this.#pieces = pieces;
  }

  /** Whether it names this server in full, and then means this tool. */
  meansToolOf(server: string, tool: string): boolean {
    const { length } = server;
    const { pattern } = this;
    return pattern.startsWith(server) && pattern[length] === '.' && this.#after(length + 1).matches(tool);
  }

  #after(length: number): StarPattern {
    const rest = this.#rests.get(length) ?? new StarPattern(this.pattern.slice(length));
    this.#rests.set(length, rest);
    return rest;
  }

  matches(text: string): boolean {
    const start = this.#start;
    const end = this.#end;
    if (end === undefined) return text === start;
    if (text.length < start.length + end.length || !text.startsWith(start) || !text.endsWith(end)) return false;

    // Each piece between stars is taken at its first place; no later place could leave more room for the rest.
    let from = start.length;
    for (const piece of this.#pieces) {
      const at = text.indexOf(piece, from);
      if (at < 0) return false;
      from = at + piece.length;
    }
    return from <= text.length - end.length;
  }
}

/** The patterns of one list, to be asked about many tools: only those with a star are looked at one by one. */
export class ToolPatterns {
  readonly #exact: ReadonlySet<string>;
  readonly #starred: readonly StarPattern[];

  constructor(patterns: readonly string[]) {
    this.#exact = new Set(patterns);
    this.#starred = patterns.filter(hasStar).map((pattern) => new StarPattern(pattern));
  }

  get isEmpty(): boolean {
    return this.#exact.size === 0;
  }

  /** A pattern that means this tool. */
  find({ server, tool }: ToolIdentity): string | undefined {
    if (server === undefined) return this.#exact.has(tool) ? tool : undefined;
    const full = `${server}.${tool}`;
    if (this.#exact.has(full)) return full;
    if (this.#exact.has(server)) return server;
    return this.#starred.find((each) => each.meansToolOf(server, tool))?.pattern;
  }

  /** A pattern that means every tool that this server has or will have. */
  findWhole(server: string): string | undefined {
    if (this.#exact.has(server)) return server;
    const start = `${server}.`;
    const isWhole = ({ pattern }: StarPattern) =>
      pattern.startsWith(start) && /^\*+$/.test(pattern.slice(start.length));
    return this.#starred.find(isWhole)?.pattern;
  }
}

/** The same for what is taken away. Here `*` may stand for servers too: denying too much opens nothing. */
export class DenyPatterns {
  readonly #all: readonly string[];
  readonly #exact: ReadonlySet<string>;
  readonly #starred: readonly StarPattern[];

  constructor(patterns: readonly string[]) {
    this.#all = patterns;
    this.#exact = new Set(patterns);
    this.#starred = patterns.filter(hasStar).map((pattern) => new StarPattern(pattern));
  }

  find({ server, tool }: ToolIdentity): string | undefined {
    if (this.#all.length === 0) return undefined;
    const full = server === undefined ? tool : `${server}.${tool}`;
    if (this.#exact.has(full)) return full;
    if (server !== undefined && this.#exact.has(server)) return server;
    return this.#starred.find((each) => each.matches(full) || (server !== undefined && each.matches(server)))?.pattern;
  }

  /** A pattern that takes all of a server away. */
  findWhole(server: string): string | undefined {
    return this.#all.find((pattern) => {
      if (matchesStars(pattern, server)) return true;
      const ofServers = pattern.replace(/\.\*+$/, '');
      return ofServers !== pattern && matchesStars(ofServers, server);
    });
  }

  /** A pattern that may take something of a server away. */
  findPart(server: string): string | undefined {
    const start = `${server}.`;
    return this.#all.find((pattern) => {
      if (pattern === server || pattern.startsWith(start)) return true;
      const star = pattern.indexOf('*');
      return star >= 0 && start.startsWith(pattern.slice(0, star));
    });
  }
}

function hasStar(pattern: string): boolean {
  return pattern.includes('*');
}
