import { randomBytes } from 'node:crypto';
import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { parseJson } from '@x/internal/json';
import { type AuthPlug, resourceOf } from './auth-plug.js';
import type { OAuthSource, SignInCallback } from './auth-source.js';
import { type LoopbackCallback, openLoopbackCallback } from './loopback-callback.js';
import { type OAuthPolicy, type OAuthProviderOptions, resolveOAuth } from './oauth-policy.js';
import { SignInError } from './sign-in-error.js';

/**
 * Signs users in to HTTP servers with OAuth 2.1: registration, sign-in page, tokens and their renewal. Pass it as the
 * manager's `auth`; one provider serves any number of servers. Only `authorize()` of a managed server opens the page,
 * never a start.
 *
 * @throws {TypeError} An option is out of bounds; the message names it.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
 */
export function createOAuthProvider(options: OAuthProviderOptions): AuthPlug {
  const policy = resolveOAuth(options);
  const clients = new Map<string, StoredOAuth>();
  return ({ url, scopes }) => {
    const resource = resourceOf(url);
    const key = JSON.stringify([resource, scopes]);
    const known = clients.get(key) ?? new StoredOAuth(resource, { ...policy, ...(scopes.length > 0 && { scopes }) });
    clients.set(key, known);
    known.clearCache(); // another process may have signed in meanwhile
    return known;
  };
}

/** Some authorization servers require the redirect URL of the registration. */
interface Registration {
  readonly client: StoredOAuthClientInformation;
  readonly redirectUrl: string;
}

interface SignIn {
  readonly callback: LoopbackCallback;
  readonly state: string;
  verifier?: string;
  discovery?: OAuthDiscoveryState;
}

/** OAuth client for one server. Implements the SDK's interface. */
class StoredOAuth implements OAuthClientProvider, OAuthSource {
  readonly #resource: string;
  readonly #policy: OAuthPolicy;
  #signIn: SignIn | 'opening' | undefined;
  #cached: StoredOAuthTokens | undefined;
  /** Refresh token of the last renewal. */
  #lastRefreshToken: string | undefined;

  constructor(resource: string, policy: OAuthPolicy) {
    this.#resource = resource;
    this.#policy = policy;
  }

  get redirectUrl(): string {
    return this.#open?.callback.url ?? 'http://127.0.0.1/callback';
  }

  get clientMetadataUrl(): string {
    return this.#policy.clientMetadataUrl ?? ''; // the SDK's type forbids undefined
  }

  get clientMetadata(): OAuthClientMetadata {
    const { clientName, scopes, client } = this.#policy;
    return {
      client_name: clientName,
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: client?.secret === undefined ? 'none' : 'client_secret_basic',
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    };
  }

  async openCallback({ signal }: { readonly signal: AbortSignal }): Promise<SignInCallback> {
    if (this.#signIn) throw new SignInError(`a sign-in to ${new URL(this.#resource).origin} is already in progress`);
    this.#signIn = 'opening';
    try {
      const state = randomBytes(32).toString('base64url');
      const callback = await this.#listen({ state, timeoutMs: this.#policy.timeoutMs, signal });
      this.#signIn = { callback, state };
      const close = async (): Promise<void> => {
        this.#signIn = undefined;
        await callback.close();
      };
      return { received: callback.received, close };
    } catch (error) {
      this.#signIn = undefined;
      throw error;
    }
  }

  state(): string {
    return this.#requiredSignIn.state;
  }

  async clientInformation(context?: OAuthClientInformationContext): Promise<StoredOAuthClientInformation | undefined> {
    const { client } = this.#policy;
    if (client) {
      const issuer = client.issuer ?? context?.issuer;
      return {
        client_id: client.id,
        ...(client.secret !== undefined && { client_secret: client.secret }),
        ...(issuer !== undefined && { issuer }),
      };
    }
    const registration = await this.#registration();
    const fits = !this.#open || registration?.redirectUrl === this.redirectUrl;
    return fits ? registration?.client : undefined;
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    if (this.#policy.client) return;
    await this.#write('client', { client, redirectUrl: this.redirectUrl } satisfies Registration);
  }

  /** Cached without `context`, as the SDK calls it before each request. */
  async tokens(context?: OAuthClientInformationContext): Promise<StoredOAuthTokens | undefined> {
    if (context || !this.#cached) this.#cached = (await this.#stored('tokens')) as StoredOAuthTokens | undefined;
    if (context) this.#lastRefreshToken = this.#cached?.refresh_token;
    return this.#cached;
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    this.#cached = tokens;
    await this.#write('tokens', tokens);
  }

  async exclusively(work: () => Promise<void>): Promise<void> {
    const release = await this.#policy.store.hold?.(this.#key('tokens'));
    this.clearCache(); // another process may have renewed them
    try {
      await work();
    } finally {
      await release?.();
    }
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    const isLocal = ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal)) {
      throw new SignInError(`the sign-in page must have an https URL, not ${url.protocol}`);
    }
    await this.#policy.openUrl(new URL(url));
  }

  saveCodeVerifier(verifier: string): void {
    this.#requiredSignIn.verifier = verifier;
  }

  codeVerifier(): string {
    const { verifier } = this.#requiredSignIn;
    if (verifier === undefined) throw new SignInError('no sign-in is in progress');
    return verifier;
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    if (this.#open) this.#open.discovery = discovery;
  }

  /** The authorization server that the user visited, to which the code must go. */
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#open?.discovery;
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    if (scope === 'all' || scope === 'tokens') await this.#forgetTokens();
    if (scope === 'all' || scope === 'client') await this.#policy.store.remove(this.#key('client'));
  }

  clearCache(): void {
    this.#cached = undefined;
  }

  get #open(): SignIn | undefined {
    return this.#signIn === 'opening' ? undefined : this.#signIn;
  }

  get #requiredSignIn(): SignIn {
    if (!this.#open) throw new SignInError('no sign-in is in progress');
    return this.#open;
  }

  /** Keeps tokens that another process has renewed. */
  async #forgetTokens(): Promise<void> {
    this.#cached = undefined;
    const stored = (await this.#stored('tokens')) as StoredOAuthTokens | undefined;
    if (stored?.refresh_token === this.#lastRefreshToken) await this.#policy.store.remove(this.#key('tokens'));
  }

  async #listen(options: { state: string; timeoutMs: number; signal: AbortSignal }): Promise<LoopbackCallback> {
    const { redirectPort } = this.#policy;
    if (redirectPort > 0) return openLoopbackCallback({ ...options, port: redirectPort });
    const { redirectUrl } = (await this.#registration()) ?? {};
    const port = redirectUrl === undefined ? 0 : Number(new URL(redirectUrl).port);
    try {
      return await openLoopbackCallback({ ...options, port });
    } catch (error) {
      if (port === 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      return openLoopbackCallback({ ...options, port: 0 });
    }
  }

  async #registration(): Promise<Registration | undefined> {
    return (await this.#stored('client')) as Registration | undefined;
  }

  async #stored(what: 'client' | 'tokens'): Promise<unknown> {
    const text = await this.#policy.store.read(this.#key(what));
    return text === undefined ? undefined : parseJson(text); // an unreadable entry leads to a new sign-in
  }

  async #write(what: 'client' | 'tokens', value: object): Promise<void> {
    await this.#policy.store.write(this.#key(what), JSON.stringify(value));
  }

  #key(what: 'client' | 'tokens'): string {
    return `${this.#resource}#${what}`;
  }
}
