import { digest } from './digest.js';

/** Which tool is meant: two fields, never one text that would have to be split. */
export interface ToolIdentity {
  /** The source's name; `undefined` for a native tool. */
  readonly server: string | undefined;
  /** The tool's own name. */
  readonly tool: string;
}

/** The one name by which models and callers know a tool. */
export interface PublicName {
  readonly name: string;
  /** Whether the name is `mcp__<server>__<tool>` as it stands; otherwise it ends in a digest of the identity. */
  readonly isExact: boolean;
}

const MAX_NAME_LENGTH = 64;
const MAX_CUT_SERVER_LENGTH = 24;
const DIGEST_SUFFIX_LENGTH = '_'.length + 8;

/** Public names of sources' tools begin with this, so those of native tools may not. */
export const SOURCE_PREFIX = 'mcp__';

/** The native tool that every registry has. */
export const SEARCH_TOOL_NAME = 'search_mcp_tools';

/** Calls any other tool by its name, so that the tools a model is given need never change. */
export const CALL_TOOL_NAME = 'call_mcp_tool';

/** Of the registry itself: they reach what the one who calls them may reach, and no host app can take their names. */
export const BUILT_IN_TOOLS: ReadonlySet<string> = new Set([SEARCH_TOOL_NAME, CALL_TOOL_NAME]);

/** Whether a native tool may have this name: `[A-Za-z0-9_-]`, 1 to 64 characters, not as a source's tool would be. */
export function isNativeName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name) && !name.startsWith(SOURCE_PREFIX);
}

/**
 * Names a source's tool `mcp__<server>__<tool>` if that is allowed and unambiguous, and otherwise a cleaned, cut text
 * with a digest of the exact identity.
 *
 * A server name that contains `__` or ends in `_` always gets the digest: only then does the first `__` after the
 * prefix end the server in every exact name, so that two identities never share one.
 */
export function publicName(server: string, tool: string): PublicName {
  const exact = `${SOURCE_PREFIX}${server}__${tool}`;
  if (isPlain(server) && isPlain(tool) && isUnambiguousServer(server) && exact.length <= MAX_NAME_LENGTH) {
    return { name: exact, isExact: true };
  }
  const suffix = `_${digest(JSON.stringify([server, tool]))}`;
  return { name: cutText(clean(server), clean(tool)) + suffix, isExact: false };
}

function isPlain(text: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(text);
}

function isUnambiguousServer(server: string): boolean {
  return !server.includes('__') && !server.endsWith('_');
}

function clean(text: string): string {
  return text.slice(0, 2 * MAX_NAME_LENGTH).replace(/[^A-Za-z0-9_-]/gu, '_');
}

/** A long server name gives way first, because the tool's is what a model chooses by. */
function cutText(server: string, tool: string): string {
  const longest = MAX_NAME_LENGTH - DIGEST_SUFFIX_LENGTH;
  const whole = `${SOURCE_PREFIX}${server}__${tool}`;
  if (whole.length <= longest) return whole;
  return `${SOURCE_PREFIX}${server.slice(0, MAX_CUT_SERVER_LENGTH)}__${tool}`.slice(0, longest);
}
