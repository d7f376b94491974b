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
  /** For the requests of a renewal. */
  readonly fetch: FetchLike;
  readonly sentTokens: SentTokens;
}

/**
 * A sign-in that never asks the user: it gives the token that there is, renews it when a request is refused, and rejects
 * with `SignInNeededError` when that cannot be done. A refused request is sent once more after that: HTTP 401 is the proof
 * that nobody has worked on it. Requests that are refused at the same time share one renewal, since
 * an authorization server may take a refresh token only once.
 */
export function silentAuth(source: AuthSource, { fetch, sentTokens }: SilentAuthOptions): AuthProvider {
  if (!isOAuthSource(source)) {
    const onUnauthorized = source.onUnauthorized?.bind(source) ?? askedAgain(source, sentTokens);
    return { token: async () => sendable(await source.token()), onUnauthorized };
  }
  const provider = oauthProvider(source);
  let renewing: Promise<void> | undefined;
  return {
    token: async () => sendable((await provider.tokens())?.access_token),
    onUnauthorized: (context) => {
      renewing ??= renewed(source, context, { fetch, sentTokens }).finally(() => {
        renewing = undefined;
      });
      return renewing;
    },
  };
}

type OnUnauthorized = NonNullable<AuthProvider['onUnauthorized']>;
type UnauthorizedContext = Parameters<OnUnauthorized>[0];

/** A source that cannot be told of refusals may have another token by now. */
function askedAgain(source: TokenSource, sentTokens: SentTokens): OnUnauthorized {
  return async ({ response }) => {
    const token = await source.token();
    if (token === undefined || token === sentTokens.refusedBy(response)) throw new UnauthorizedError();
  };
}

/** The token, if a header can hold it: what says that it cannot would quote it. */
function sendable(token: string | undefined): string | undefined {
  if (token === undefined || /^[\x20-\x7e]*$/.test(token)) return token;
  throw new SignInError('its "auth" gives a token that no header can hold');
}

/** An `OAuthSource` names only what is needed of a provider; whoever wrote one wrote it after the SDK's interface. */
export function oauthProvider(source: OAuthSource): OAuthClientProvider {
  return source as unknown as OAuthClientProvider;
}

/** Renews the tokens, unless somebody else has done so while this was waiting for its turn. */
async function renewed(
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
    // The SDK takes an authorization server that is down for a reason to ask the user; it is one to wait.
    throw error instanceof SignInNeededError ? (outage.reason ?? error) : error;
  }
}

/** Remembers whether the last request failed for a reason that may pass. */
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

/** The provider itself, but for the steps that would begin to ask the user. */
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
