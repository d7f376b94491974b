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
 * True if an entry of `allowedTools` matches this tool: `server.tool`, `server/tool` or the public name, with `*` in
 * the tool part for any text; `server` for all tools of a server; or a native tool's name. The server is always named
 * in full: a server that is added later gets no unintended rights.
 *
 * Names may contain dots and slashes. `a.b.c` means tool `c` of server `a.b` if `a.b` is a server, and then nothing
 * else.
 */
export function matchesTool(pattern: string, identity: ToolIdentity, isServer: IsServer): boolean {
  return new ToolPatterns([pattern]).find(identity, isServer) !== undefined;
}

/** True if an entry matches a tool when read as an entry of the tool's own server, regardless of other servers. */
export function fitsTool(pattern: string, identity: ToolIdentity): boolean {
  return matchesTool(pattern, identity, () => false);
}

/** True if an entry that fits `server` is read as an entry of it, and not of another server with a longer name. */
export function isReadAs(pattern: string, server: string, isServer: IsServer, kind?: WrittenKind): boolean {
  const reading = readName(pattern, isServer, kind);
  return reading === undefined || reading.server === server;
}

/** True if a pattern with `*` for any text matches a whole text. Takes time proportional to both lengths at most. */
export function matchesStars(pattern: string, text: string): boolean {
  return new StarPattern(pattern).matches(text);
}

/** Known facts about servers during a decision. Without them, the tools of every server count as unknown. */
export interface KnownServers {
  /** True if a server of this name is attached. */
  has(server: string): boolean;
  /**
   * True if a server of this name is attached, was attached before, or is configured. Decides which server an entry
   * means.
   */
  knows(server: string): boolean;
  /** Empty or `undefined` while they are not known. The same array while they are the same. */
  toolsOf(server: string): readonly { readonly name: string }[] | undefined;
}

const SEPARATORS = ['.', '/'] as const;

/** A parsed pattern, for repeated matching. */
class StarPattern {
  readonly pattern: string;
  readonly #start: string;
  readonly #pieces: readonly string[];
  /** `undefined`: there is no star. */
  readonly #end: string | undefined;
  /** The rest after so many characters, cached because it is requested repeatedly for the same servers. */
  readonly #rests = new Map<number, StarPattern>();

  constructor(pattern: string) {
    const [start = '', ...pieces] = pattern.split('*');
    this.pattern = pattern;
    this.#start = start;
    this.#end = pieces.pop();
    this.#pieces = pieces;
  }

  /** True if the pattern names this server in full, and then matches this tool. */
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

    // Each piece between stars matches at its first place; no later place could leave more room for the rest.
    let from = start.length;
    for (const piece of this.#pieces) {
      const at = text.indexOf(piece, from);
      if (at < 0) return false;
      from = at + piece.length;
    }
    return from <= text.length - end.length;
  }
}

/** The patterns of one list, for many tools: only those with a star are tried one by one. */
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

  /** A pattern that matches this tool. */
  find({ server, tool }: ToolIdentity, isServer: IsServer): string | undefined {
    if (server === undefined) return this.#exact.has(tool) ? tool : undefined;
    const exact = this.#exact;
    const isOfIt = (written: string) => isReadAs(written, server, isServer);
    for (const written of qualifiedNames(server, tool)) if (exact.has(written) && isOfIt(written)) return written;
    if (exact.has(server) && isOfIt(server)) return server;
    const name = this.#hasPublic ? publicName(server, tool) : undefined;
    if (name !== undefined && exact.has(name)) return name; // no other tool has it
    return this.#starred.find((each) => each.meansToolOf(server, tool) && isOfIt(each.pattern))?.pattern;
  }

  /** A pattern that matches every present and future tool of this server. */
  findWhole(server: string, isServer: IsServer): string | undefined {
    const isOfIt = (written: string) => isReadAs(written, server, isServer);
    if (this.#exact.has(server) && isOfIt(server)) return server;
    const starts = serverPrefixes(server);
    const isWhole = ({ pattern }: StarPattern, start: string) =>
      pattern.startsWith(start) && isAllStars(pattern, start);
    return this.#starred.find((each) => starts.some((start) => isWhole(each, start)) && isOfIt(each.pattern))?.pattern;
  }

  /** A pattern that begins with this server, or is the public name of one of its tools. */
  findAny(server: string, isServer: IsServer, tools: readonly { readonly name: string }[] = []): string | undefined {
    for (const pattern of this.#exact) if (namesServer(pattern, server, isServer)) return pattern;
    const named = this.#hasPublic ? tools.find(({ name: tool }) => this.find({ server, tool }, isServer)) : undefined;
    return named && this.find({ server, tool: named.name }, isServer);
  }
}

/** True if a pattern begins with this server, with or without a match there. */
export function namesServer(pattern: string, server: string, isServer: IsServer, kind?: WrittenKind): boolean {
  const starts = kind === 'uri' ? [`${server}.`] : serverPrefixes(server);
  if (pattern !== server && !starts.some((start) => pattern.startsWith(start))) return false;
  return isReadAs(pattern, server, isServer, kind);
}

/**
 * The same for denials. Every spelling counts: `server.tool`, `server/tool`, the public name, and the tool's own name,
 * which denies it on every server. A `*` may stand for servers too: denying too much opens nothing.
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
    // Allowances with a star compare the tool's own name after this prefix, so denials do, too.
    if (server !== undefined && this.#hasPublic) texts.push(publicPrefix(server) + tool);
    return this.#starred.find((each) => texts.some((text) => each.matches(text)))?.pattern;
  }

  /** A pattern that denies the whole of a server. */
  findWhole(server: string): string | undefined {
    return this.#all.find((pattern) => {
      if (matchesStars(pattern, server) || pattern.replace(/\*+$/, '') === publicPrefix(server)) return true;
      return matchesStars(pattern.replace(/[./]\*+$/, ''), server);
    });
  }

  /**
   * A pattern that may deny a part of a server, beside those of `findWhole`. One that begins with this server does,
   * for any tools. Any other one does if it matches a tool of the server; while these are not known, a pattern without
   * a server counts as a match.
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

  /** Called for each resource of a server, so the result is cached while the tools are the same. */
  #findAny(server: string, tools: readonly { readonly name: string }[]): string | undefined {
    const earlier = this.#parts.get(server);
    if (earlier?.tools === tools) return earlier.pattern;
    const meant = tools.find(({ name: tool }) => this.find({ server, tool }) !== undefined);
    const pattern = meant && this.find({ server, tool: meant.name });
    this.#parts.set(server, { tools, pattern });
    return pattern;
  }
}

/** True if a pattern may match a tool by its own name alone, on any server. */
function mayBeBare(pattern: string, known: KnownServers | undefined): boolean {
  return !/[./]/.test(pattern) && !BUILT_IN_TOOLS.has(pattern) && known?.has(pattern) !== true;
}

function qualifiedNames(server: string, tool: string): string[] {
  return SEPARATORS.map((separator) => `${server}${separator}${tool}`);
}

/** Prefixes of the spellings of a server's tools. */
function serverPrefixes(server: string): readonly string[] {
  return [...SEPARATORS.map((separator) => server + separator), publicPrefix(server)];
}

function publicPrefix(server: string): string {
  return `${SOURCE_PREFIX}${server}__`;
}

/** True if some public name may match: the text before the first star agrees with the beginning of public names. */
function mayBePublic(pattern: string): boolean {
  const star = pattern.indexOf('*');
  const start = star < 0 ? pattern : pattern.slice(0, star);
  return start.startsWith(SOURCE_PREFIX) || (star >= 0 && SOURCE_PREFIX.startsWith(start));
}

/** True if only stars follow the beginning of a pattern. */
function isAllStars(pattern: string, start: string): boolean {
  return /^\*+$/.test(pattern.slice(start.length));
}

function hasStar(pattern: string): boolean {
  return pattern.includes('*');
}
