import { OLD_APP_LINK } from '@x/internal/app-tools';
import { isRecord } from '@x/internal/json';
import { publicName, SOURCE_PREFIX } from '@x/internal/names';

/**
 * `prefixed`: every name contains its server. `as-is`: every name is the server's own, and a name that several servers
 * use is not served. `nested`: for another gateway; as `prefixed`, but without the first `mcp__` and without the
 * registry's own tools.
 */
export type NamingMode = 'prefixed' | 'as-is' | 'nested';

/** Converts names of servers for clients. */
export interface GatewayNames {
  /** Rules of ownership: `nested` names are prefixed, too. */
  readonly mode: Exclude<NamingMode, 'nested'>;
  readonly isNested: boolean;
  /** Accepts a URI or a URI template. */
  uri(server: string, uri: string): string;
  prompt(server: string, prompt: string): string;
  logger(server: string, logger: string | undefined): string | undefined;
}

const prefixed: GatewayNames = {
  mode: 'prefixed',
  isNested: false,
  uri: (server, uri) => toGatewayUri({ server, uri }),
  prompt: (server, prompt) => publicName(server, prompt),
  logger: (server, logger) => (logger === undefined ? server : `${server}.${logger}`),
};

export const gatewayNames: { readonly [Mode in NamingMode]: GatewayNames } = {
  prefixed,
  nested: {
    ...prefixed,
    isNested: true,
    prompt: (server, prompt) => publicName(server, prompt).slice(SOURCE_PREFIX.length),
  },
  'as-is': {
    mode: 'as-is',
    isNested: false,
    uri: (_, uri) => uri,
    prompt: (_, prompt) => prompt,
    logger: (_, logger) => logger,
  },
};

const PREFIX = 'mcp+';
/** Hosts find apps and skills by their scheme. */
const KEPT_SCHEMES = ['ui://', 'skill://'] as const;

interface ServerUri {
  readonly server: string;
  readonly uri: string;
}

/**
 * Returns `mcp+<server>:` and the server's own URI, byte for byte, or `ui://mcp+<server>/` and the rest of a `ui:` or
 * `skill:` URI. Reversible, and unique per server. A relative reference in a resource's text resolves to the same
 * server, and a template stays one (RFC 6570).
 */
export function toGatewayUri({ server, uri }: ServerUri): string {
  const kept = KEPT_SCHEMES.find((scheme) => uri.startsWith(scheme));
  const prefix = gatewayScheme(server);
  return kept === undefined ? `${prefix}:${uri}` : `${kept}${prefix}/${uri.slice(kept.length)}`;
}

/**
 * @param servers - The existing names.
 * @returns `undefined` for a URI of no server.
 */
export function fromGatewayUri(uri: string, servers: readonly string[]): ServerUri | undefined {
  const kept = KEPT_SCHEMES.find((scheme) => uri.slice(0, scheme.length).toLowerCase() === scheme) ?? '';
  const end = uri.indexOf(kept === '' ? ':' : '/', kept.length);
  // Clients may write a scheme in capitals.
  const prefix = uri.slice(kept.length, Math.max(end, kept.length)).toLowerCase();
  const server = servers.find((name) => gatewayScheme(name) === prefix);
  return server === undefined ? undefined : { server, uri: kept + uri.slice(end + 1) };
}

/** Also part of an authority. Both are case-insensitive and allow few characters. */
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
 * Rewrites the URIs of resource links and embedded resources, and links to apps. Texts, structured content and the rest
 * of `_meta` stay unchanged, since only the server and the model know their meaning.
 */
export function rewriteContent<Result extends Fields>(result: Result, rewrite: Rewrite): Result {
  const linked = rewriteAppLink(result, rewrite);
  return Array.isArray(linked.content)
    ? { ...linked, content: linked.content.map((block) => rewriteBlock(block, rewrite)) }
    : linked;
}

interface Linking {
  readonly _meta?: unknown;
}

/** Rewrites the URI of the app in `_meta` of a tool, result or resource. Returns the same object without one. */
export function rewriteAppLink<Linked extends Linking>(given: Linked, rewrite: Rewrite): Linked {
  const { _meta: meta } = given;
  if (!isRecord(meta)) return given;
  const { ui, [OLD_APP_LINK]: old } = meta;
  const link = isRecord(ui) && typeof ui.resourceUri === 'string' ? ui.resourceUri : undefined;
  if (link === undefined && typeof old !== 'string') return given;
  const rewritten = {
    ...(isRecord(ui) && link !== undefined && { ui: { ...ui, resourceUri: rewrite(link) } }),
    ...(typeof old === 'string' && { [OLD_APP_LINK]: rewrite(old) }),
  };
  return { ...given, _meta: { ...meta, ...rewritten } };
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
  if (!isRecord(value)) return value;
  const linked: Fields = rewriteAppLink(value, rewrite);
  return typeof linked.uri === 'string' ? { ...linked, uri: rewrite(linked.uri) } : linked;
}
