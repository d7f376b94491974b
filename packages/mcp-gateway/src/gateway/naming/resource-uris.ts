const PREFIX = 'mcp+';

export interface ServerUri {
  readonly server: string;
  readonly uri: string;
}

/**
 * The URI of one server's resource as a client of many servers sees it: `mcp+<server>:` and the server's own URI, byte for
 * byte. No two servers share one, and nothing is lost on the way back.
 *
 * - The server is in the scheme, so that a relative reference in a resource's text, whatever dots it begins with, leads
 *   to a resource of the same server when a client resolves it.
 * - A template stays one (RFC 6570): the prefix is a literal there, so what a client expands is the prefix and what the
 *   server's own template would have expanded to.
 */
export function toGatewayUri({ server, uri }: ServerUri): string {
  return `${gatewayScheme(server)}:${uri}`;
}

/**
 * @param servers - The names that there are.
 * @returns `undefined` for what `toGatewayUri` has not made of one of them.
 */
export function fromGatewayUri(uri: string, servers: readonly string[]): ServerUri | undefined {
  const end = uri.indexOf(':');
  // Clients may write the scheme in capitals, as in any URI.
  const scheme = uri.slice(0, Math.max(end, 0)).toLowerCase();
  const server = servers.find((name) => gatewayScheme(name) === scheme);
  return server === undefined ? undefined : { server, uri: uri.slice(end + 1) };
}

/** Schemes know no case and few characters, so all but `a-z`, `0-9`, `-` and `.` is written as its code. */
function gatewayScheme(server: string): string {
  return PREFIX + server.replace(/[^a-z0-9.-]/g, escapeUnit);
}

/** By UTF-16 units, so that names that are no proper text stay apart, too. No escape begins as another one does. */
function escapeUnit(unit: string): string {
  const code = unit.charCodeAt(0).toString(16);
  return code.length <= 2 ? `+${code.padStart(2, '0')}` : `+u${code.padStart(4, '0')}`;
}
