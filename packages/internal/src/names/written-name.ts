import { mayBeDigestOf, publicName, SOURCE_PREFIX } from './public-name.js';

/** One reading of a written name: a server, and the name within it. */
export interface NameReading {
  readonly server: string;
  /** Text after the separator: a tool, prompt or URI, or a pattern of them. `undefined`: the whole server. */
  readonly part: string | undefined;
}

/** True if a text is the name of a server. */
export type IsServer = (name: string) => boolean;

/** `uri`: only a dot separates a server from a URI. Default `name`: a dot, a slash or the form of public names. */
export type WrittenKind = 'name' | 'uri';

/** Separators farther in are ignored, so that a text of dots does not take quadratic time. */
const MAX_SERVER_LENGTH = 256;

/**
 * The server of a written name: the longest existing server name that fits. Names of servers may contain separators,
 * so `my.db.query` means a tool of `my.db` if there is such a server, and a tool of `my` otherwise.
 */
export function readName(written: string, isServer: IsServer, kind?: WrittenKind): NameReading | undefined {
  for (const reading of readingsOf(written, kind)) if (isServer(reading.server)) return reading;
  return undefined;
}

/**
 * Every reading of a written name, in order of precedence: readings as a public name, then the longest server name
 * first. A reading as a public name counts only if the name has a `*` or is the public name of that reading.
 */
export function* readingsOf(written: string, kind: WrittenKind = 'name'): Iterable<NameReading> {
  if (kind === 'name') yield* publicReadings(written);
  yield { server: written, part: undefined };
  const separators = kind === 'name' ? /[./]/g : /\./g;
  const places = Array.from(written.slice(0, MAX_SERVER_LENGTH + 1).matchAll(separators), ({ index }) => index);
  for (const at of places.reverse()) {
    if (at > 0) yield { server: written.slice(0, at), part: written.slice(at + 1) };
  }
}

function* publicReadings(written: string): Iterable<NameReading> {
  if (!written.startsWith(SOURCE_PREFIX)) return;
  const from = SOURCE_PREFIX.length;
  for (
    let at = written.lastIndexOf('__', from + MAX_SERVER_LENGTH);
    at > from;
    at = written.lastIndexOf('__', at - 1)
  ) {
    const reading = { server: written.slice(from, at), part: written.slice(at + 2) };
    if (written.includes('*') || publicName(reading.server, reading.part) === written) yield reading;
  }
}

/** A server that a tool may belong to. */
export interface ToolOwner {
  readonly server: string;
  /** The tool's own name; `undefined` where the written name does not contain it. */
  readonly tool: string | undefined;
}

/**
 * The servers that may have the tool of a written name: the one that `readName` returns, or each whose tools may have
 * this name with a digest. Empty for a name without a server.
 */
export function toolOwners(written: string, servers: Iterable<string>): readonly ToolOwner[] {
  const known = new Set(servers);
  const reading = readName(written, (name) => known.has(name));
  if (reading?.part !== undefined) return [{ server: reading.server, tool: reading.part }];
  const digests = Array.from(known).filter((server) => mayBeDigestOf(server, written));
  return digests.map((server) => ({ server, tool: undefined }));
}
