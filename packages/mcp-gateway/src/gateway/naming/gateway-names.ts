import { isRecord } from '@x/internal/json';
import { publicName } from '@x/internal/names';

/**
 * `prefixed`: every name contains its server. `as-is`: every name is the server's own, and a name that several servers
 * use is not served.
 */
export type NamingMode = 'prefixed' | 'as-is';

/** Converts names of servers for clients. */
export interface GatewayNames {
  readonly mode: NamingMode;
  /** Accepts a URI or a URI template. */
  uri(server: string, uri: string): string;
  prompt(server: string, prompt: string): string;
  logger(server: string, logger: string | undefined): string | undefined;
}

export const gatewayNames: { readonly [Mode in NamingMode]: GatewayNames } = {
  prefixed: {
    mode: 'prefixed',
    uri: (server, uri) => toGatewayUri({ server, uri }),
    prompt: (server, prompt) => publicName(server, prompt),
    logger: (server, logger) => (logger === undefined ? server : `${server}.${logger}`),
  },
  'as-is': {
    mode: 'as-is',
    uri: (_, uri) => uri,
    prompt: (_, prompt) => prompt,
    logger: (_, logger) => logger,
  },
};

const PREFIX = 'mcp+';

interface ServerUri {
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

type Rewrite = (uri: string) => string;
type Fields = Readonly<Record<string, unknown>>;

/**
 * Rewrites the URIs of resource links and embedded resources. Texts, structured content and `_meta` stay unchanged,
 * since only the server and the model know their meaning.
 */
export function rewriteContent<Result extends Fields>(result: Result, rewrite: Rewrite): Result {
  return Array.isArray(result.content)
    ? { ...result, content: result.content.map((block) => rewriteBlock(block, rewrite)) }
    : result;
}

/** Rewrites the URIs of a `prompts/get` result. */
export function rewriteMessages<Result extends Fields>(result: Result, rewrite: Rewrite): Result {
  if (!Array.isArray(result.messages)) return result;
  return {
    ...result,
    messages: result.messages.map((message: unknown) => {
      if (!isRecord(message)) return message;
      const { content } = message;
      const rewritten = Array.isArray(content)
        ? content.map((block) => rewriteBlock(block, rewrite))
        : rewriteBlock(content, rewrite);
      return { ...message, content: rewritten };
    }),
  };
}

/** Rewrites the URIs of a `resources/read` result. */
export function rewriteContents<Result extends Fields>(result: Result, rewrite: Rewrite): Result {
  return Array.isArray(result.contents)
    ? { ...result, contents: result.contents.map((part: unknown) => rewriteUri(part, rewrite)) }
    : result;
}

function rewriteBlock(block: unknown, rewrite: Rewrite): unknown {
  if (!isRecord(block)) return block;
  if (block.type === 'resource_link') return rewriteUri(block, rewrite);
  return block.type === 'resource' ? { ...block, resource: rewriteUri(block.resource, rewrite) } : block;
}

function rewriteUri(value: unknown, rewrite: Rewrite): unknown {
  return isRecord(value) && typeof value.uri === 'string' ? { ...value, uri: rewrite(value.uri) } : value;
}
