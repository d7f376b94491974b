import { sha256Of } from '../digests/sha256-of.js';

/** Prefix of the public names of servers' tools and prompts. */
export const SOURCE_PREFIX = 'mcp__';

const MAX_NAME_LENGTH = 64;
/** A longer server name is cut when the whole name is too long. */
const MAX_CUT_SERVER_LENGTH = 20;

const DIGEST_LENGTH = 13;
const DIGEST_SUFFIX = /_[0-9][0-9a-z]{12}$/;
const DIGEST_VALUES = 10n * 36n ** BigInt(DIGEST_LENGTH - 1);

/**
 * Public name of a server's tool or prompt. A pure function of the two texts: other servers, other tools and the order
 * of arrival have no influence.
 *
 * Names come from two disjoint spaces:
 *
 * - **Exact**: `mcp__<server>__<tool>`, where both texts are plain, the first `__` after the prefix ends the server,
 *   the whole has at most 64 characters, and it does not end like a digest.
 * - **Digest**: cleaned and cut text, `_`, and a digest of both texts. Every other identity.
 *
 * No name of one space is in the other, so no server can choose a text that gives it the name of another server's
 * tool.
 */
export function publicName(server: string, tool: string): string {
  const exact = `${SOURCE_PREFIX}${server}__${tool}`;
  if (isUnambiguous(server) && isPlain(tool) && exact.length <= MAX_NAME_LENGTH && !DIGEST_SUFFIX.test(exact)) {
    return exact;
  }
  return `${readablePart(clean(server), clean(tool))}_${digestOf(server, tool)}`;
}

/** The text of a server in public names where its own name does not fit. Several servers may share it. */
export function serverLabel(server: string): string {
  return clean(server).slice(0, MAX_CUT_SERVER_LENGTH);
}

/** True if a name ends in a digest and may be the public name of a tool of this server, for any tool name. */
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

/** Cuts a long server name before the tool's, because models choose by the tool's name. */
function readablePart(server: string, tool: string): string {
  const longest = MAX_NAME_LENGTH - DIGEST_LENGTH - '_'.length;
  const whole = `${SOURCE_PREFIX}${server}__${tool}`;
  if (whole.length <= longest) return whole;
  return `${SOURCE_PREFIX}${server.slice(0, MAX_CUT_SERVER_LENGTH)}__${tool}`.slice(0, longest);
}

/**
 * 65 bits of SHA-256 over both texts as JSON, which keeps their border: a digit, then 12 of `[0-9a-z]`. The digit keeps
 * ordinary words, such as `configuration`, out of the digest space.
 */
function digestOf(server: string, tool: string): string {
  const hash = sha256Of(JSON.stringify([server, tool]));
  const value = new DataView(hash.buffer, hash.byteOffset).getBigUint64(0) << 64n;
  const low = new DataView(hash.buffer, hash.byteOffset).getBigUint64(8);
  const digits = (value | low) % DIGEST_VALUES;
  const [first, rest] = [digits / 36n ** 12n, digits % 36n ** 12n];
  return `${first}${rest.toString(36).padStart(DIGEST_LENGTH - 1, '0')}`;
}
