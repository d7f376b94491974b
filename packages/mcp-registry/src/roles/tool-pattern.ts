import {
  BUILT_IN_TOOLS,
  type IsServer,
  publicName,
  readName,
  SOURCE_PREFIX,
  type WrittenKind,
} from '@x/internal/names';
import type { ToolIdentity } from '@x/internal/views';

/**
 * True if an entry of `allowedTools` matches this tool: `server.tool`, `server/tool` or the public name, with `*` for
 * any text in the tool part; `server` for all of its tools; or a native tool's name. Entries name the whole server, so
 * a later server gets no rights by accident.
 *
 * Names may contain dots and slashes: if `a.b` is a server, `a.b.c` means only its tool `c`.
 */
export function matchesTool(pattern: string, identity: ToolIdentity, isServer: IsServer): boolean {
  return new ToolPatterns([pattern]).find(identity, isServer) !== undefined;
}

/** True if an entry matches, read as one of the tool's server. */
export function fitsTool(pattern: string, identity: ToolIdentity): boolean {
  return matchesTool(pattern, identity, () => false);
}

/** True unless the entry belongs to another server with a longer name. */
export function isReadAs(pattern: string, server: string, isServer: IsServer, kind?: WrittenKind): boolean {
  const reading = readName(pattern, isServer, kind);
  return reading === undefined || reading.server === server;
}

/** `*` stands for any text. Takes time proportional to both lengths at most. */
export function matchesStars(pattern: string, text: string): boolean {
  return new StarPattern(pattern).matches(text);
}

/** Facts about servers at the time of a decision. */
export interface KnownServers {
  /** True if the server is attached. */
  has(server: string): boolean;
  /** True if the server is or was attached, or is configured. Decides which server an entry means. */
  knows(server: string): boolean;
  /** Empty or `undefined` while unknown. The same array while unchanged. */
  toolsOf(server: string): readonly { readonly name: string }[] | undefined;
}

const SEPARATORS = ['.', '/'] as const;

class StarPattern {
  readonly pattern: string;
  readonly #start: string;
  readonly #pieces: readonly string[];
  /** `undefined`: there is no star. */
  readonly #end: string | undefined;
  /** Cached, because they recur for each server. */
  readonly #rests = new Map<number, StarPattern>();

  constructor(pattern: string) {
    const [start = '', ...pieces] = pattern.split('*');
    this.pattern = pattern;
    this.#start = start;
    this.#end = pieces.pop();
    this.#pieces = pieces;
  }

  /** True if the pattern names this server in full and matches the tool. */
  meansToolOf(server: string, tool: string): boolean {
    const { length } = server;
    const { pattern } = this;
    const separator = pattern[length];
    if ((separator === '.' || separator === '/') && pattern.startsWith(server)) {
      if (this.#after(length + 1).matches(tool)) return true;
    }
    const prefix = publicPrefix(server);
    if (!pattern.startsWith(prefix)) return false;
    return this.#after(prefix.length).matches(tool) || this.matches(publicName(server, tool));
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
    if (!text.startsWith(start) || !text.endsWith(end)) return false;

    // The first position of a piece leaves the most room for the others.
    let from = start.length;
    for (const piece of this.#pieces) {
      const at = text.indexOf(piece, from);
      if (at < 0) return false;
      from = at + piece.length;
    }
    return from <= text.length - end.length;
  }
}

/** The patterns of one list. */
export class ToolPatterns {
  readonly #exact: ReadonlySet<string>;
  readonly #starred: readonly StarPattern[];
  readonly #hasPublic: boolean;

  constructor(patterns: readonly string[]) {
    this.#exact = new Set(patterns);
    this.#starred = patterns.filter(hasStar).map((pattern) => new StarPattern(pattern));
    this.#hasPublic = patterns.some((pattern) => pattern.startsWith(SOURCE_PREFIX));
  }

  get isEmpty(): boolean {
    return this.#exact.size === 0;
  }

  find({ server, tool }: ToolIdentity, isServer: IsServer): string | undefined {
    if (server === undefined) return this.#exact.has(tool) ? tool : undefined;
    const exact = this.#exact;
    const isOfIt = (written: string) => isReadAs(written, server, isServer);
    for (const written of qualifiedNames(server, tool)) if (exact.has(written) && isOfIt(written)) return written;
    if (exact.has(server) && isOfIt(server)) return server;
    const name = this.#hasPublic ? publicName(server, tool) : undefined;
    if (name !== undefined && exact.has(name)) return name; // a public name is unique
    return this.#starred.find((each) => each.meansToolOf(server, tool) && isOfIt(each.pattern))?.pattern;
  }

  /** A pattern that matches all present and future tools of a server. */
  findWhole(server: string, isServer: IsServer): string | undefined {
    const isOfIt = (written: string) => isReadAs(written, server, isServer);
    if (this.#exact.has(server) && isOfIt(server)) return server;
    const starts = serverPrefixes(server);
    const isWhole = ({ pattern }: StarPattern, start: string) =>
      pattern.startsWith(start) && isAllStars(pattern, start);
    return this.#starred.find((each) => starts.some((start) => isWhole(each, start)) && isOfIt(each.pattern))?.pattern;
  }

  /** A pattern that begins with this server, or the public name of one of its tools. */
  findAny(server: string, isServer: IsServer, tools: readonly { readonly name: string }[] = []): string | undefined {
    for (const pattern of this.#exact) if (namesServer(pattern, server, isServer)) return pattern;
    const named = this.#hasPublic ? tools.find(({ name: tool }) => this.find({ server, tool }, isServer)) : undefined;
    return named && this.find({ server, tool: named.name }, isServer);
  }
}

export function namesServer(pattern: string, server: string, isServer: IsServer, kind?: WrittenKind): boolean {
  const starts = kind === 'uri' ? [`${server}.`] : serverPrefixes(server);
  if (pattern !== server && !starts.some((start) => pattern.startsWith(start))) return false;
  return isReadAs(pattern, server, isServer, kind);
}

/**
 * Patterns of denials, which match every spelling, including the own name on any server. `*` may stand for servers,
 * because denying too much opens nothing.
 */
export class DenyPatterns {
  readonly #all: readonly string[];
  readonly #exact: ReadonlySet<string>;
  readonly #starred: readonly StarPattern[];
  readonly #hasPublic: boolean;
  readonly #parts = new Map<string, { readonly tools: readonly object[]; readonly pattern: string | undefined }>();

  constructor(patterns: readonly string[]) {
    this.#all = patterns;
    this.#exact = new Set(patterns);
    this.#starred = patterns.filter(hasStar).map((pattern) => new StarPattern(pattern));
    this.#hasPublic = patterns.some(mayBePublic);
  }

  find({ server, tool }: ToolIdentity): string | undefined {
    if (this.#all.length === 0) return undefined;
    const texts = server === undefined ? [tool] : [...qualifiedNames(server, tool), server, tool];
    if (server !== undefined && this.#hasPublic) texts.push(publicName(server, tool));
    const exact = texts.find((text) => this.#exact.has(text));
    if (exact !== undefined || this.#starred.length === 0) return exact;
    // Allowances with a star match the own name after this prefix, so denials must too.
    if (server !== undefined && this.#hasPublic) texts.push(publicPrefix(server) + tool);
    return this.#starred.find((each) => texts.some((text) => each.matches(text)))?.pattern;
  }

  findWhole(server: string): string | undefined {
    return this.#all.find((pattern) => {
      if (matchesStars(pattern, server) || pattern.replace(/\*+$/, '') === publicPrefix(server)) return true;
      return matchesStars(pattern.replace(/[./]\*+$/, ''), server);
    });
  }

  /**
   * A pattern that may deny a part of a server: it begins with the server, or matches one of its tools. While these are
   * unknown, patterns without a server count.
   */
  findPart(server: string, known?: KnownServers): string | undefined {
    if (this.#all.length === 0) return undefined;
    const starts = SEPARATORS.map((separator) => server + separator);
    const written = this.#all.find((pattern) => {
      if (starts.some((start) => pattern.startsWith(start))) return true;
      const star = pattern.indexOf('*');
      return star >= 0 && starts.some((start) => start.startsWith(pattern.slice(0, star)));
    });
    if (written !== undefined) return written;
    const tools = known?.toolsOf(server) ?? [];
    return tools.length > 0 ? this.#findAny(server, tools) : this.#all.find((pattern) => mayBeBare(pattern, known));
  }

  /** Cached, because it is called for each resource. */
  #findAny(server: string, tools: readonly { readonly name: string }[]): string | undefined {
    const earlier = this.#parts.get(server);
    if (earlier?.tools === tools) return earlier.pattern;
    const meant = tools.find(({ name: tool }) => this.find({ server, tool }) !== undefined);
    const pattern = meant && this.find({ server, tool: meant.name });
    this.#parts.set(server, { tools, pattern });
    return pattern;
  }
}

/** True if a pattern may be a tool's own name. */
function mayBeBare(pattern: string, known: KnownServers | undefined): boolean {
  return !/[./]/.test(pattern) && !BUILT_IN_TOOLS.has(pattern) && known?.has(pattern) !== true;
}

function qualifiedNames(server: string, tool: string): string[] {
  return SEPARATORS.map((separator) => `${server}${separator}${tool}`);
}

function serverPrefixes(server: string): readonly string[] {
  return [...SEPARATORS.map((separator) => server + separator), publicPrefix(server)];
}

function publicPrefix(server: string): string {
  return `${SOURCE_PREFIX}${server}__`;
}

/** True if the pattern may match public names. */
function mayBePublic(pattern: string): boolean {
  const star = pattern.indexOf('*');
  const start = star < 0 ? pattern : pattern.slice(0, star);
  return start.startsWith(SOURCE_PREFIX) || (star >= 0 && SOURCE_PREFIX.startsWith(start));
}

function isAllStars(pattern: string, start: string): boolean {
  return /^\*+$/.test(pattern.slice(start.length));
}

function hasStar(pattern: string): boolean {
  return pattern.includes('*');
}
