/**
 * What signs the requests to one server in: a source of tokens, or an OAuth client. The `AuthProvider` and
 * `OAuthClientProvider` of `@modelcontextprotocol/client` fit as they stand.
 */
export type AuthSource = TokenSource | OAuthSource;

/** Gives a bearer token for every request. */
export interface TokenSource {
  /** `undefined`: the request goes out without one. */
  token(): Promise<string | undefined>;
  /**
   * Called when a request was refused; it is sent once more afterwards. Rejecting means that nothing can be done. Default:
   * it is sent once more if `token` gives another one by then.
   */
  onUnauthorized?(context: { readonly response: Response; readonly serverUrl: URL }): Promise<void>;
}

/**
 * An OAuth client for one server, as the SDK's `OAuthClientProvider` defines it; only what is needed here is named.
 * While a server runs, tokens are renewed with it silently; `redirectToAuthorization` is called by `authorize()` alone.
 */
export interface OAuthSource {
  /** Where the browser comes back to. `undefined`: nobody is asked, as with client credentials. */
  readonly redirectUrl: string | URL | undefined;
  readonly clientMetadata: object;
  /** What the authorization server knows the client by. `undefined`: it has to be registered. */
  clientInformation(context?: { issuer: string }): unknown;
  /** The tokens that are kept. `undefined`: nobody has signed in. */
  tokens(context?: { issuer: string }): unknown;
  /** Keeps tokens that were just issued. */
  saveTokens(tokens: never, context?: { issuer: string }): void | Promise<void>;
  /** Shows the user the page to sign in on. */
  redirectToAuthorization(url: URL): void | Promise<void>;
  /** Keeps the PKCE verifier until the browser is back. */
  saveCodeVerifier(codeVerifier: string): void | Promise<void>;
  /** The verifier that was kept last. */
  codeVerifier(): string | Promise<string>;
  /** The key that tokens are bound to (RFC 9449), as the SDK's `DpopSession`. Default: whoever has a token may use it. */
  dpop?(): unknown;
  /** Runs `work`, which renews the tokens, while nobody else renews them. Default: runs it at once. */
  exclusively?(work: () => Promise<void>): Promise<void>;
  /**
   * Begins to wait for the browser to come back, before anything is registered or asked. Without it, the host app
   * has to run the sign-in itself.
   */
  openCallback?(options: { readonly signal: AbortSignal }): Promise<SignInCallback>;
}

/** A wait for the browser to come back from a sign-in. */
export interface SignInCallback {
  /** The query that the browser came back with, its `state` checked. Rejects when it is not waited for any more. */
  readonly received: Promise<URLSearchParams>;
  /** Ends the wait. */
  close(): Promise<void>;
}

export function isOAuthSource(source: AuthSource): source is OAuthSource {
  return 'tokens' in source && 'clientInformation' in source;
}
