import { milliseconds, optionTable } from '@x/internal/options';
import type { TokenStore } from './token-store.js';

/** How users sign in, and where that is kept. */
export interface OAuthProviderOptions {
  /** Where sign-ins are kept, such as `createFileTokenStore(path)`. */
  readonly store: TokenStore;
  /**
   * Shows the page on which the user signs in, mostly by opening a browser. The URL is `https:`, or `http:` on this
   * machine; it comes from a server, so hand it over as one argument and never to a shell.
   */
  readonly openUrl: (url: URL) => void | Promise<void>;
  /**
   * Port on 127.0.0.1 that the browser comes back to. Default 0: any free one, the same as last time if it is free. Set
   * it when the client is registered by hand.
   */
  readonly redirectPort?: number | undefined;
  /** What the user is asked to give access to. Default "MCP client". */
  readonly clientName?: string | undefined;
  /** Asked for unless a server's spec has its own. Default: whatever the server asks for. */
  readonly scopes?: readonly string[] | undefined;
  /** A client that is registered already. Default: one is registered by itself at the first sign-in. */
  readonly client?: RegisteredClient | undefined;
  /** Address of a document that describes this client, for authorization servers that take one instead of registering. */
  readonly clientMetadataUrl?: string | undefined;
  /** Longest time for the user to sign in, in milliseconds. Default 300 000. */
  readonly timeoutMs?: number | undefined;
}

/** A client that was registered by hand. */
export interface RegisteredClient {
  readonly id: string;
  readonly secret?: string | undefined;
  /** Issuer of the authorization server that knows the client. Needed with a secret, which goes to no other. */
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

/** @throws {TypeError} Names the option that is missing, misspelt or out of bounds. */
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
