import {
  type AuthProvider,
  auth,
  extractWWWAuthenticateParams,
  type FetchLike,
  type OAuthClientProvider,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { type AuthSource, isOAuthSource, type OAuthSource, type TokenSource } from './auth-source.js';
import type { SentTokens } from './sent-tokens.js';
import { SignInError, SignInNeededError } from './sign-in-error.js';

export interface SilentAuthOptions {
  /** Used for renewals. */
  readonly fetch: FetchLike;
  readonly sentTokens: SentTokens;
}

/**
 * Auth provider without user interaction. Returns the current token, renews it after HTTP 401, and rejects with
 * `SignInNeededError` if that fails. After a renewal the SDK sends the request once more, which is safe: HTTP 401 means
 * that the server did not process it. Concurrent refusals share one renewal, since an authorization server may accept a
 * refresh token only once.
 */
export function silentAuth(source: AuthSource, { fetch, sentTokens }: SilentAuthOptions): AuthProvider {
  if (!isOAuthSource(source)) {
    const onUnauthorized = source.onUnauthorized?.bind(source) ?? retryWithNewToken(source, sentTokens);
    return { token: async () => requireSendable(await source.token()), onUnauthorized };
  }
  const provider = oauthProvider(source);
  let renewing: Promise<void> | undefined;
  return {
    token: async () => requireSendable((await provider.tokens())?.access_token),
    onUnauthorized: (context) => {
      renewing ??= renewOnce(source, context, { fetch, sentTokens }).finally(() => {
        renewing = undefined;
      });
      return renewing;
    },
  };
}

type OnUnauthorized = NonNullable<AuthProvider['onUnauthorized']>;
type UnauthorizedContext = Parameters<OnUnauthorized>[0];

/** Retries with the source's current token if it differs from the refused one. */
function retryWithNewToken(source: TokenSource, sentTokens: SentTokens): OnUnauthorized {
  return async ({ response }) => {
    const token = await source.token();
    if (token === undefined || token === sentTokens.refusedBy(response)) throw new UnauthorizedError();
  };
}

/** Rejects tokens with characters that headers cannot contain, since the error of `fetch` would quote the token. */
function requireSendable(token: string | undefined): string | undefined {
  if (token === undefined || /^[\x20-\x7e]*$/.test(token)) return token;
  throw new SignInError('its "auth" returns a token with characters that are invalid in a header');
}

/** Casts a source to the SDK's interface, of which `OAuthSource` names the required part. */
export function oauthProvider(source: OAuthSource): OAuthClientProvider {
  return source as unknown as OAuthClientProvider;
}

/** Renews the tokens, unless another renewal did so while this one waited for the lock. */
async function renewOnce(
  source: OAuthSource,
  context: UnauthorizedContext,
  { fetch, sentTokens }: SilentAuthOptions,
): Promise<void> {
  const provider = oauthProvider(source);
  const refused = sentTokens.refusedBy(context.response) ?? (await provider.tokens())?.access_token;
  const work = async (): Promise<void> => {
    const present = (await provider.tokens())?.access_token;
    if (present === undefined || present === refused) await renew(provider, context, fetch);
  };
  await (source.exclusively ? source.exclusively(work) : work());
}

async function renew(provider: OAuthClientProvider, context: UnauthorizedContext, fetch: FetchLike): Promise<void> {
  const { scope, resourceMetadataUrl } = extractWWWAuthenticateParams(context.response);
  if (provider.redirectUrl !== undefined && !(await provider.tokens())?.refresh_token) throw new SignInNeededError();
  const outage = new Outage(fetch);
  try {
    await auth(withoutAsking(provider), {
      serverUrl: context.serverUrl,
      fetchFn: outage.fetch,
      ...(scope !== undefined && { scope }),
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
    });
  } catch (error) {
    // If the authorization server is down, the SDK falls back to a sign-in; report the outage instead.
    throw error instanceof SignInNeededError ? (outage.reason ?? error) : error;
  }
}

/** Records whether the last request failed for a transient reason. */
class Outage {
  reason: Error | undefined;
  readonly fetch: FetchLike;

  constructor(fetch: FetchLike) {
    this.fetch = async (url, init) => {
      this.reason = new TypeError('fetch failed', { cause: new Error('The authorization server does not answer') });
      const response = await fetch(url, init);
      if (response.status < 500) this.reason = undefined;
      return response;
    };
  }
}

/** Proxies the provider, and rejects the steps that would involve the user. */
function withoutAsking(provider: OAuthClientProvider): OAuthClientProvider {
  const refuse = (): never => {
    throw new SignInNeededError();
  };
  return new Proxy(provider, {
    get(target, key) {
      if (key === 'state' || key === 'saveCodeVerifier' || key === 'redirectToAuthorization') return refuse;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
