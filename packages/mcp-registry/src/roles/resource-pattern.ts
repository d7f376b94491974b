import type { IsServer } from '@x/internal/names';
import { isReadAs, matchesStars } from './tool-pattern.js';

/**
 * Whether a pattern of `allowedResources` means this resource: `server` for all of them, or `server.` and the URI, in
 * which `*` stands for any text.
 *
 * What a server makes of a URI is its own affair, so a `*` stands for no text that some server could take for a way out
 * of what the pattern names: `.` between slashes, what begins with `..` after one, in whatever form of those characters,
 * backslashes, control characters (URL parsers leave them out, and `.\t.` is `..` then), what is encoded and should not
 * be (slashes, dots, percents), and what does not decode.
 */
export function matchesResource(
  pattern: string,
  { server, uri }: { readonly server: string; readonly uri: string },
  isServer: IsServer,
): boolean {
  const isWritten = pattern === server || pattern.startsWith(`${server}.`);
  if (!isWritten || !isReadAs(pattern, server, isServer, 'uri')) return false;
  if (pattern === server) return true;
  const uris = pattern.slice(server.length + 1);
  return uris === uri || /^\*+$/.test(uris) || (isStraight(uri) && matchesStars(uris, uri));
}

/** What comes after two dots is cut off by some: parameters, spaces of any kind, what cannot be seen. */
const WAY_OUT = /[\p{Cc}\\%]|(?:^|[/:])\.(?:\.|[/?#;]|$)/u;
const UNSEEN = /[\p{White_Space}\p{Default_Ignorable_Code_Point}]/gu;

function isStraight(uri: string): boolean {
  const decoded = decode(uri);
  if (decoded === undefined || WAY_OUT.test(decoded)) return false;
  // Wide forms of dots and slashes become plain ones where names are normalized.
  return !WAY_OUT.test(decoded.normalize('NFKC').replace(UNSEEN, ''));
}

/** Once is enough: a percent that is encoded itself is refused. */
function decode(uri: string): string | undefined {
  if (/%2[ef5]/i.test(uri)) return undefined;
  try {
    return decodeURIComponent(uri);
  } catch {
    return undefined; // no UTF-8, such as an overlong dot
  }
}
