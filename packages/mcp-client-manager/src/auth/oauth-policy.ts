import { milliseconds, optionTable } from '@x/internal/options';
import type { TokenStore } from './token-store.js';

/** Options of user sign-ins. */
export interface OAuthProviderOptions {
  /** Store of the sign-ins, such as `createFileTokenStore(path)`. */
  readonly store: TokenStore;
  /**
   * Opens the sign-in page, usually in a browser. The URL is `https:`, or `http:` on this machine. It comes from a
   * server: never pass it through a shell.
   */
  readonly openUrl: (url: URL) => void | Promise<void>;
  /**
   * Port on 127.0.0.1 for the browser's return. Default 0: the last port if it is free, else any. Set it for a client
   * registered by hand.
   */
  readonly redirectPort?: number | undefined;
  /** Name of the client on the consent page. Default "MCP client". */
  readonly clientName?: string | undefined;
  /** Requested scopes if the server's spec has none. Default: the scopes that the server requests. */
  readonly scopes?: readonly string[] | undefined;
  /** A registered client. Default: the first sign-in registers one. */
  readonly client?: RegisteredClient | undefined;
  /** URL of a client metadata document, in place of a registration. */
  readonly clientMetadataUrl?: string | undefined;
  /** Time limit for the user, in milliseconds. Default 300 000. */
  readonly timeoutMs?: number | undefined;
}

/** A client that was registered by hand. */
export interface RegisteredClient {
  readonly id: string;
  readonly secret?: string | undefined;
  /** Issuer of its authorization server. Required with a secret, which goes to no other server. */
  readonly issuer?: string | undefined;
}

const options = optionTable<OAuthProviderOptions>()({
  store: { kind: 'object', required: true },
  openUrl: { kind: 'function', required: true },
  redirectPort: { kind: 'number', min: 0, max: 65_535, default: 0 },
  clientName: { kind: 'text', default: 'MCP client' },
  scopes: { kind: 'texts', default: [] },
  client: { kind: 'object' },
  clientMetadataUrl: { kind: 'other', check: documentUrl },
  timeoutMs: { ...milliseconds, default: 300_000 },
});

export type OAuthPolicy = ReturnType<(typeof options)['read']>;

export function resolveOAuth(given: OAuthProviderOptions): OAuthPolicy {
  const policy = options.read(given);
  const { client } = policy;
  if (client?.secret !== undefined && client.issuer === undefined) {
    throw new TypeError('client.issuer must be given with client.secret, so that the secret goes to that issuer alone');
  }
  return { ...policy, scopes: [...policy.scopes] };
}

function documentUrl(url: unknown): string | undefined {
  return typeof url === 'string' && /^https:\/\/[^/]+\/./.test(url) ? undefined : 'an https: URL with a path';
}
