/**
 * Authorizes the requests to one server. `AuthProvider` and `OAuthClientProvider` of `@modelcontextprotocol/client` are
 * compatible.
 */
export type AuthSource = TokenSource | OAuthSource;

/** Returns a bearer token for each request. */
export interface TokenSource {
  /** `undefined`: sends the request without a token. */
  token(): Promise<string | undefined>;
  /**
   * Called after HTTP 401. When it resolves, the request is sent once more; when it rejects, the request fails.
   * Default: retries if `token` now returns another token.
   */
  onUnauthorized?(context: { readonly response: Response; readonly serverUrl: URL }): Promise<void>;
}

/**
 * An OAuth client for one server: the required part of the SDK's `OAuthClientProvider`. Only `authorize()` calls
 * `redirectToAuthorization`.
 */
export interface OAuthSource {
  /** Redirect target of the browser. `undefined`: a flow without a user. */
  readonly redirectUrl: string | URL | undefined;
  readonly clientMetadata: object;
  /** The registered client. `undefined`: the client must register. */
  clientInformation(context?: { issuer: string }): unknown;
  /** The stored tokens. `undefined`: a sign-in is required. */
  tokens(context?: { issuer: string }): unknown;
  /** Stores new tokens. */
  saveTokens(tokens: never, context?: { issuer: string }): void | Promise<void>;
  /** Opens the sign-in page for the user. */
  redirectToAuthorization(url: URL): void | Promise<void>;
  /** Stores the PKCE verifier until the browser returns. */
  saveCodeVerifier(codeVerifier: string): void | Promise<void>;
  /** The last stored verifier. */
  codeVerifier(): string | Promise<string>;
  /** The key that binds the tokens (RFC 9449): the SDK's `DpopSession`. Default: bearer tokens. */
  dpop?(): unknown;
  /** Renews the tokens by running `work` under a lock. Default: no lock. */
  exclusively?(work: () => Promise<void>): Promise<void>;
  /** Starts to wait for the browser's return, before the client registers. Without it, the app runs the sign-in. */
  openCallback?(options: { readonly signal: AbortSignal }): Promise<SignInCallback>;
}

/** A wait for the browser's return. */
export interface SignInCallback {
  /** Query of the return, with a verified `state`. Rejects when the wait ends. */
  readonly received: Promise<URLSearchParams>;
  /** Ends the wait. */
  close(): Promise<void>;
}

export function isOAuthSource(source: AuthSource): source is OAuthSource {
  return 'tokens' in source && 'clientInformation' in source;
}

const scopeBySource = new WeakMap<AuthSource, string>();

/** Records a scope that a request lacked, until the user signs in with it. */
export function recordMissingScope(source: AuthSource, scope: string): void {
  scopeBySource.set(source, joinScopes(scopeBySource.get(source), scope));
}

export function missingScope(source: AuthSource): string | undefined {
  return scopeBySource.get(source);
}

export function forgetMissingScope(source: AuthSource): void {
  scopeBySource.delete(source);
}

export function joinScopes(...lists: readonly (string | undefined)[]): string {
  return [...new Set(lists.flatMap((list) => list?.split(' ') ?? []))].filter((scope) => scope !== '').join(' ');
}
