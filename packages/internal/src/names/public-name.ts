import { sha256Of } from '../digests.js';

/** Prefix of the public names of servers' tools and prompts. */
export const SOURCE_PREFIX = 'mcp__';

const MAX_NAME_LENGTH = 64;
/** Longer server names are cut when the whole name is too long. */
const MAX_CUT_SERVER_LENGTH = 20;

const DIGEST_LENGTH = 13;
const DIGEST_SUFFIX = /_[0-9][0-9a-z]{12}$/;
const DIGEST_VALUES = 10n * 36n ** BigInt(DIGEST_LENGTH - 1);

/**
 * Public name of a server's tool or prompt: a pure function of the two texts.
 *
 * Names come from two disjoint spaces, so no server can take the name of another server's tool:
 *
 * - **Exact**: `mcp__<server>__<tool>`, if it has at most 64 plain characters, its first `__` after the prefix ends the
 * server, and it does not end like a digest.
 * - **Digest**: cleaned and cut text, `_`, and a digest of both texts.
 */
export function publicName(server: string, tool: string): string {
  const exact = `${SOURCE_PREFIX}${server}__${tool}`;
  if (isUnambiguous(server) && isPlain(tool) && exact.length <= MAX_NAME_LENGTH && !DIGEST_SUFFIX.test(exact)) {
    return exact;
  }
  return `${readablePart(clean(server), clean(tool))}_${digestOf(server, tool)}`;
}

/** Text of a server in digest names. Several servers may share it. */
export function serverLabel(server: string): string {
  return clean(server).slice(0, MAX_CUT_SERVER_LENGTH);
}

export function mayBeDigestOf(server: string, name: string): boolean {
  if (!DIGEST_SUFFIX.test(name)) return false;
  return [clean(server), serverLabel(server)].some((text) => name.startsWith(`${SOURCE_PREFIX}${text}__`));
}

/** True if the first `__` after such a server name always ends it. */
function isUnambiguous(server: string): boolean {
  return isPlain(server) && !server.includes('__') && !server.endsWith('_');
}

function isPlain(text: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(text);
}

function clean(text: string): string {
  return text.slice(0, 2 * MAX_NAME_LENGTH).replace(/[^A-Za-z0-9_-]/gu, '_');
}

/** Cuts the server's name first, because models choose by the tool's. */
function readablePart(server: string, tool: string): string {
  const longest = MAX_NAME_LENGTH - DIGEST_LENGTH - '_'.length;
  const whole = `${SOURCE_PREFIX}${server}__${tool}`;
  if (whole.length <= longest) return whole;
  return `${SOURCE_PREFIX}${server.slice(0, MAX_CUT_SERVER_LENGTH)}__${tool}`.slice(0, longest);
}

/**
 * A digit, then 12 of `[0-9a-z]`: 65 bits of SHA-256 over both texts. The digit keeps words such as `configuration` out
 * of the digest space.
 */
function digestOf(server: string, tool: string): string {
  const hash = sha256Of(JSON.stringify([server, tool]));
  const value = new DataView(hash.buffer, hash.byteOffset).getBigUint64(0) << 64n;
  const low = new DataView(hash.buffer, hash.byteOffset).getBigUint64(8);
  const digits = (value | low) % DIGEST_VALUES;
  const [first, rest] = [digits / 36n ** 12n, digits % 36n ** 12n];
  return `${first}${rest.toString(36).padStart(DIGEST_LENGTH - 1, '0')}`;
}
