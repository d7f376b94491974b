import { checkOption, type OptionRows, optionTable } from '@x/internal/options';
import { isHttpsOrLoopback } from '../../loopback.js';
import { type HttpRequest, HttpResponse, jsonResponse, refuse } from '../http-messages.js';

/** Facts for clients that sign in with OAuth (RFC 9728). */
export interface ResourceMetadata {
  /** This server's URL as clients know it: the audience of their tokens. */
  readonly resource: string;
  /** Issuers of its tokens, by URL, the preferred one first. */
  readonly authorizationServers: readonly string[];
  /** Scopes of its tokens. Default: none listed. */
  readonly scopesSupported?: readonly string[] | undefined;
}

/** Options for clients without a token. */
export interface MetadataOptions {
  /**
   * Protected resource metadata, sent to clients without a token. The handler serves it at
   * `/.well-known/oauth-protected-resource`, with and without the path of `resource`. A string is the URL of such a
   * document elsewhere. Default: none.
   */
  readonly resourceMetadata?: ResourceMetadata | string | undefined;
}

export const metadataRows = { resourceMetadata: { kind: 'other' } } as const satisfies OptionRows<MetadataOptions>;

const url = { kind: 'other', check: urlFault } as const;
const metadata = optionTable<ResourceMetadata>()({
  resource: { ...url, required: true },
  authorizationServers: { kind: 'other', required: true, check: serversFault },
  scopesSupported: { kind: 'other', check: scopesFault },
});

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

export class MetadataPath {
  readonly url: string | undefined;
  readonly #paths: ReadonlySet<string>;
  readonly #document: Readonly<Record<string, unknown>>;

  constructor({ resourceMetadata: given }: MetadataOptions) {
    this.#paths = new Set();
    this.#document = {};
    if (given === undefined) return;
    if (typeof given === 'string') {
      checkOption('resourceMetadata', url, given);
      this.url = new URL(given).href;
      return;
    }
    const { authorizationServers, scopesSupported, ...own } = metadata.read(given, 'resourceMetadata.');
    const resource = new URL(own.resource);
    const path = `${WELL_KNOWN}${resource.pathname === '/' ? '' : resource.pathname}`;
    this.url = `${resource.origin}${path}${resource.search}`;
    this.#paths = new Set([path, WELL_KNOWN]);
    this.#document = {
      resource: own.resource,
      authorization_servers: authorizationServers,
      ...(scopesSupported !== undefined && { scopes_supported: scopesSupported }),
      bearer_methods_supported: ['header'],
    };
  }

  answer(ask: HttpRequest): HttpResponse | undefined {
    if (this.#paths.size === 0 || !this.#paths.has(new URL(ask.url).pathname)) return undefined;
    if (ask.method !== 'GET') return refuse(405, 'Only GET is supported here', { allow: 'GET' });
    return jsonResponse(this.#document, { headers: { 'cache-control': 'public, max-age=3600' } });
  }
}

function serversFault(servers: unknown): string | undefined {
  if (!Array.isArray(servers) || servers.length === 0) return 'a list of at least one URL';
  return servers.map(urlFault).find((fault) => fault !== undefined);
}

function scopesFault(scopes: unknown): string | undefined {
  const isScope = (scope: unknown) => typeof scope === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope);
  return Array.isArray(scopes) && scopes.every(isScope) ? undefined : 'a list of scopes, which have no space';
}

function urlFault(value: unknown): string | undefined {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (url !== undefined && isHttpsOrLoopback(url) && url.hash === '') return undefined;
  return `an https: URL, or an http: one of the loopback, with no fragment, got ${JSON.stringify(value)}`;
}

/** Options of the health path. */
export interface HealthOptions {
  /**
   * Path for a load balancer's probe, such as `/healthz`. `GET` and `HEAD` get 200 without a body, and 503 after
   * `drain()` or `close()`. Needs no token, and any `Host` will do. Default: none.
   */
  readonly healthPath?: string | undefined;
}

export const healthRows = {
  healthPath: { kind: 'other', check: pathFault },
} as const satisfies OptionRows<HealthOptions>;

export class HealthPath {
  readonly #path: string | undefined;

  constructor({ healthPath }: HealthOptions) {
    this.#path = healthPath;
  }

  answer(ask: HttpRequest, { isOpen }: { readonly isOpen: boolean }): HttpResponse | undefined {
    if (this.#path === undefined || new URL(ask.url).pathname !== this.#path) return undefined;
    if (!['GET', 'HEAD'].includes(ask.method)) {
      return refuse(405, 'Only GET and HEAD are supported here', { allow: 'GET, HEAD' });
    }
    return new HttpResponse(isOpen ? 200 : 503, null, { 'cache-control': 'no-store' });
  }
}

/** URL parsing normalizes paths, so one in another spelling would never match. */
function pathFault(path: unknown): string | undefined {
  const base = 'http://localhost';
  if (typeof path === 'string' && URL.canParse(path, base) && new URL(path, base).pathname === path) return undefined;
  return `a path as requests have it, such as "/healthz", with no query, got ${JSON.stringify(path)}`;
}
