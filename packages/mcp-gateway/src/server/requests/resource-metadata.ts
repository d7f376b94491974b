import { isHttpsOrLoopback } from '../../loopback.js';
import { answerJson, type HttpAnswer, refuse } from '../http-answers.js';
import type { HttpAsk } from '../http-ask.js';

/** What clients that sign in with OAuth need to know of this server (RFC 9728). */
export interface ResourceMetadata {
  /** This server's own URL, as clients are told it: the audience of their tokens. */
  readonly resource: string;
  /** Where tokens for it are given: the issuers' URLs, the one to be preferred first. */
  readonly authorizationServers: readonly string[];
  /** Scopes that tokens for it may have. Default: none are named. */
  readonly scopesSupported?: readonly string[] | undefined;
}

/** What is told to those who have no token. */
export interface MetadataOptions {
  /**
   * Where clients learn how to get a token, told to those who have none. The handler answers
   * `/.well-known/oauth-protected-resource`, with the path of `resource` behind it or without. As a text, the URL of such
   * a document that something else serves. Default: they are not told.
   */
  readonly resourceMetadata?: ResourceMetadata | string | undefined;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** What is told of this server to those who have no token for it. */
export class MetadataAnswer {
  /** Where that is. */
  readonly url: string | undefined;
  readonly #paths: ReadonlySet<string>;
  readonly #document: Readonly<Record<string, unknown>>;

  constructor({ resourceMetadata: given }: MetadataOptions) {
    this.#paths = new Set();
    this.#document = {};
    if (given === undefined) return;
    if (typeof given === 'string') {
      this.url = checkUrl('resourceMetadata', given).href;
      return;
    }
    const resource = checkUrl('resourceMetadata.resource', given.resource);
    const path = `${WELL_KNOWN}${resource.pathname === '/' ? '' : resource.pathname}`;
    this.url = `${resource.origin}${path}${resource.search}`;
    this.#paths = new Set([path, WELL_KNOWN]);
    this.#document = {
      resource: given.resource,
      authorization_servers: checkServers(given.authorizationServers),
      ...(given.scopesSupported !== undefined && { scopes_supported: checkScopes(given.scopesSupported) }),
      bearer_methods_supported: ['header'],
    };
  }

  /** The answer to a request for the document, which needs no token; `undefined` for any other request. */
  answer(ask: HttpAsk): HttpAnswer | undefined {
    if (this.#paths.size === 0 || !this.#paths.has(new URL(ask.url).pathname)) return undefined;
    if (ask.method !== 'GET') return refuse(405, 'Only GET is answered here', { allow: 'GET' });
    return answerJson(this.#document, { headers: { 'cache-control': 'public, max-age=3600' } });
  }
}

function checkServers(servers: unknown): readonly string[] {
  if (!Array.isArray(servers) || servers.length === 0) {
    throw new TypeError('resourceMetadata.authorizationServers must have at least one URL');
  }
  for (const server of servers) checkUrl('resourceMetadata.authorizationServers', server);
  return servers;
}

function checkScopes(scopes: unknown): readonly string[] {
  const isScope = (scope: unknown) => typeof scope === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope);
  if (Array.isArray(scopes) && scopes.every(isScope)) return scopes;
  throw new TypeError('resourceMetadata.scopesSupported must be a list of scopes, which have no space');
}

function checkUrl(option: string, value: unknown): URL {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (url !== undefined && isHttpsOrLoopback(url) && url.hash === '') return url;
  throw new TypeError(
    `${option} must be an https: URL, or an http: one of the loopback, with no fragment, got ${JSON.stringify(value)}`,
  );
}
