import type { IsServer } from '@x/internal/names';
import { isReadAs, matchesStars } from './tool-pattern.js';

/**
 * True if a pattern of `allowedResources` matches this resource: `server` for all of them, or `server.` and the URI,
 * in which `*` stands for any text.
 *
 * Servers interpret URIs in their own ways, so a `*` stands for no text that some server could resolve outside of the
 * pattern: `.` between slashes, text that begins with `..` after one, in any form of those characters, backslashes,
 * control characters (URL parsers drop them, which turns `.\t.` into `..`), encoded slashes, dots and percents, and
 * text that does not decode.
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

/** Some servers cut what follows two dots: parameters, spaces of any kind, invisible characters. */
const WAY_OUT = /[\p{Cc}\\%]|(?:^|[/:])\.(?:\.|[/?#;]|$)/u;
const UNSEEN = /[\p{White_Space}\p{Default_Ignorable_Code_Point}]/gu;

function isStraight(uri: string): boolean {
  const decoded = decode(uri);
  if (decoded === undefined || WAY_OUT.test(decoded)) return false;
  // Wide forms of dots and slashes become plain ones where names are normalized.
  return !WAY_OUT.test(decoded.normalize('NFKC').replace(UNSEEN, ''));
}

/** Once is enough: an encoded percent is refused. */
function decode(uri: string): string | undefined {
  if (/%2[ef5]/i.test(uri)) return undefined;
  try {
    return decodeURIComponent(uri);
  } catch {
    return undefined; // not UTF-8, such as an overlong dot
  }
}
