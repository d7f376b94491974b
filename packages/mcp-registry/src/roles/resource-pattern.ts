import { matchesStars } from './tool-pattern.js';

/**
 * Whether a pattern of `allowedResources` means this resource: `server` for all of them, or `server.` and the URI, in
 * which `*` stands for any text.
 *
 * What a server makes of a URI is its own affair, so a `*` stands for no text that could lead out of what the pattern
 * names: for no `.` or `..` between slashes, no backslash, and no percent-encoded slash, dot, percent or NUL.
 */
export function matchesResource(pattern: string, { server, uri }: { readonly server: string; readonly uri: string }) {
  if (pattern === server) return true;
  if (!pattern.startsWith(`${server}.`)) return false;
  const uris = pattern.slice(server.length + 1);
  return uris === uri || /^\*+$/.test(uris) || (isStraight(uri) && matchesStars(uris, uri));
}

function isStraight(uri: string): boolean {
  return !/\\|%(?:2[ef5]|5c|00)|(?:^|[/:])\.{1,2}(?:[/?#]|$)/i.test(uri);
}
