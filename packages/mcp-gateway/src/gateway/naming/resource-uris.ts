const PREFIX = 'mcp+';

export interface ServerUri {
  readonly server: string;
  readonly uri: string;
}

/**
 * Returns `mcp+<server>:` and the server's own URI, byte for byte. Reversible, and unique per server. A relative
 * reference in a resource's text resolves to the same server, and a template stays one (RFC 6570).
 */
export function toGatewayUri({ server, uri }: ServerUri): string {
  return `${gatewayScheme(server)}:${uri}`;
}

/**
 * @param servers - The existing names.
 * @returns `undefined` for another text than `toGatewayUri` makes.
 */
export function fromGatewayUri(uri: string, servers: readonly string[]): ServerUri | undefined {
  const end = uri.indexOf(':');
  // Clients may write a scheme in capitals.
  const scheme = uri.slice(0, Math.max(end, 0)).toLowerCase();
  const server = servers.find((name) => gatewayScheme(name) === scheme);
  return server === undefined ? undefined : { server, uri: uri.slice(end + 1) };
}

/** Schemes are case-insensitive and allow few characters. */
function gatewayScheme(server: string): string {
  return PREFIX + server.replace(/[^a-z0-9.-]/g, escapeUnit);
}

/** Escapes UTF-16 code units, so that malformed names stay distinct. No escape is a prefix of another. */
function escapeUnit(unit: string): string {
  const code = unit.charCodeAt(0).toString(16);
  return code.length <= 2 ? `+${code.padStart(2, '0')}` : `+u${code.padStart(4, '0')}`;
}
