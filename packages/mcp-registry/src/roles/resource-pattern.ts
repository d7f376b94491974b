import { matchesStars } from './tool-pattern.js';

/**
 * Whether a pattern of `allowedResources` means this resource: `server` for all of them, or `server.` and the URI, in
 * which `*` stands for any text.
 *
 * What a server makes of a URI is its own affair, so a `*` stands for no text that some server could take for a way out
 * of what the pattern names: `.` or `..` between slashes, backslashes, control characters (URL parsers leave them out, and
 * `.\t.` is `..` then), what is encoded and should not be (slashes, dots, percents), and what does not decode.
 */
export function matchesResource(pattern: string, { server, uri }: { readonly server: string; readonly uri: string }) {
  if (pattern === server) return true;
  if (!pattern.startsWith(`${server}.`)) return false;
  const uris = pattern.slice(server.length + 1);
  return uris === uri || /^\*+$/.test(uris) || (isStraight(uri) && matchesStars(uris, uri));
}

function isStraight(uri: string): boolean {
  const decoded = decode(uri);
  // What comes after the dots is cut off by some: parameters, trailing spaces.
  return decoded !== undefined && !/[\p{Cc}\\]|(?:^|[/:])\.{1,2}(?:[/?#; ]|$)/u.test(decoded);
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
