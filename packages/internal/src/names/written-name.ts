import { mayBeDigestOf, publicName, SOURCE_PREFIX } from './public-name.js';

export interface NameReading {
  readonly server: string;
  /** Text after the separator: a tool, prompt or URI, or a pattern of them. `undefined`: the whole server. */
  readonly part: string | undefined;
}

export type IsServer = (name: string) => boolean;

/** `uri`: a dot ends the server. `name` (default): a dot, a slash, or the form of public names. */
export type WrittenKind = 'name' | 'uri';

/** Separators farther in are ignored: a text of dots would take quadratic time. */
const MAX_SERVER_LENGTH = 256;

/**
 * The reading with the longest existing server name: `my.db.query` means a tool of `my.db` if there is such a server,
 * otherwise one of `my`.
 */
export function readName(written: string, isServer: IsServer, kind?: WrittenKind): NameReading | undefined {
  for (const reading of readingsOf(written, kind)) if (isServer(reading.server)) return reading;
  return undefined;
}

/**
 * Every reading of a written name: as a public name, then by the longest server name first. A public name without `*`
 * must be that of the reading.
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

export interface ToolOwner {
  readonly server: string;
  /** `undefined` where the written name does not contain it. */
  readonly tool: string | undefined;
}

/** The servers that may have the tool of a written name: that of `readName`, or all that may have this digest name. */
export function toolOwners(written: string, servers: Iterable<string>): readonly ToolOwner[] {
  const known = new Set(servers);
  const reading = readName(written, (name) => known.has(name));
  if (reading?.part !== undefined) return [{ server: reading.server, tool: reading.part }];
  const digests = Array.from(known).filter((server) => mayBeDigestOf(server, written));
  return digests.map((server) => ({ server, tool: undefined }));
}

/** Stands for a node in the name of a server that several nodes have. No node may have this name. */
export const FLEET_WIDE = 'fleet';

const FLEET_NAME = /@[A-Za-z0-9_-]{1,64}$/;

export function fleetName(server: string, node: string): string {
  return `${server}@${node}`;
}

/** True for the name of a fleet's server. A node's own servers have no such name. */
export function isFleetName(name: string): boolean {
  return FLEET_NAME.test(name);
}

/** A displayable name of a server, a tool or a role: 1 to 128 printable characters without a space at either end. */
export const shownName = /^(?=[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]{1,128}$)\S(.*\S)?$/u;
