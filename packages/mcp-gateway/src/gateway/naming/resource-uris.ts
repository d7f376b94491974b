const PREFIX = 'mcp+';

export interface ServerUri {
  readonly server: string;
  readonly uri: string;
}

/**
 * The URI of a server's resource for clients of many servers: `mcp+<server>:` and the server's own URI, byte for byte.
 * No two servers share one, and it is reversible.
 *
 * - The server is in the scheme, so that a relative reference in a resource's text, resolved by a client, leads to a
 *   resource of the same server, regardless of its dots.
 * - A template stays one (RFC 6570): the prefix is literal, so a client expands it to the prefix and the expansion
 *   of the server's own template.
 */
export function toGatewayUri({ server, uri }: ServerUri): string {
  return `${gatewayScheme(server)}:${uri}`;
}

/**
 * @param servers - The existing names.
 * @returns `undefined` for a text that `toGatewayUri` has not made of one of them.
 */
export function fromGatewayUri(uri: string, servers: readonly string[]): ServerUri | undefined {
  const end = uri.indexOf(':');
  // Clients may write the scheme in capitals, as in any URI.
  const scheme = uri.slice(0, Math.max(end, 0)).toLowerCase();
  const server = servers.find((name) => gatewayScheme(name) === scheme);
  return server === undefined ? undefined : { server, uri: uri.slice(end + 1) };
}

/** Schemes are case-insensitive with few characters, so all but `a-z`, `0-9`, `-` and `.` are escaped by code. */
function gatewayScheme(server: string): string {
  return PREFIX + server.replace(/[^a-z0-9.-]/g, escapeUnit);
}

/** By UTF-16 code units, so that malformed names stay distinct, too. No escape is a prefix of another. */
function escapeUnit(unit: string): string {
  const code = unit.charCodeAt(0).toString(16);
  return code.length <= 2 ? `+${code.padStart(2, '0')}` : `+u${code.padStart(4, '0')}`;
}
