import type { IsServer } from '@x/internal/names';
import { isReadAs, matchesStars } from './tool-pattern.js';

/**
 * True if a pattern of `allowedResources` matches: `server` for all, or `server.` and a URI with `*` for any text.
 *
 * Servers interpret URIs differently, so `*` excludes text that may resolve outside of the pattern: `.` segments,
 * segments that begin with `..`, look-alikes of these characters, backslashes, control characters, encoded slashes,
 * dots and percents, and invalid encodings.
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

/** Some servers cut text after two dots: parameters, spaces, invisible characters. */
const WAY_OUT = /[\p{Cc}\\%]|(?:^|[/:])\.(?:\.|[/?#;]|$)/u;
const UNSEEN = /[\p{White_Space}\p{Default_Ignorable_Code_Point}]/gu;

function isStraight(uri: string): boolean {
  const decoded = decode(uri);
  if (decoded === undefined || WAY_OUT.test(decoded)) return false;
  // Normalization turns wide dots and slashes into plain ones.
  return !WAY_OUT.test(decoded.normalize('NFKC').replace(UNSEEN, ''));
}

/** Decoded once, because encoded percents are refused. */
function decode(uri: string): string | undefined {
  if (/%2[ef5]/i.test(uri)) return undefined;
  try {
    return decodeURIComponent(uri);
  } catch {
    return undefined; // not UTF-8, such as an overlong dot
  }
}
