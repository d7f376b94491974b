import {
  type AuthProvider,
  auth,
  extractWWWAuthenticateParams,
  type FetchLike,
  type OAuthClientProvider,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { type AuthSource, isOAuthSource, type OAuthSource, type TokenSource } from './auth-source.js';
import { SignInError, SignInNeededError } from './sign-in-error.js';

interface SilentAuthOptions {
  readonly fetch: FetchLike;
  readonly sentTokens: SentTokens;
}

/**
 * Never involves the user. Renews the token after HTTP 401, and rejects with `SignInNeededError` if that fails. The SDK
 * may repeat the request: a server that answers 401 did not process it. Concurrent refusals share one renewal, since a
 * refresh token may be valid only once.
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

function retryWithNewToken(source: TokenSource, sentTokens: SentTokens): OnUnauthorized {
  return async ({ response }) => {
    const token = await source.token();
    if (token === undefined || token === sentTokens.refusedBy(response)) throw new UnauthorizedError();
  };
}

/** Rejects a token that is invalid in a header: the error of `fetch` would quote it. */
function requireSendable(token: string | undefined): string | undefined {
  if (token === undefined || /^[\x20-\x7e]*$/.test(token)) return token;
  throw new SignInError('its "auth" returns a token with characters that are invalid in a header');
}

export function oauthProvider(source: OAuthSource): OAuthClientProvider {
  return source as unknown as OAuthClientProvider;
}

/** Renews the token, unless another process did so during the wait for the lock. */
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
    await auth(withoutUser(provider), {
      serverUrl: context.serverUrl,
      fetchFn: outage.fetch,
      ...(scope !== undefined && { scope }),
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
    });
  } catch (error) {
    // If the authorization server is down, the SDK falls back to a sign-in. Report the outage instead.
    throw error instanceof SignInNeededError ? (outage.reason ?? error) : error;
  }
}

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

/** Rejects the steps that would involve the user. */
function withoutUser(provider: OAuthClientProvider): OAuthClientProvider {
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

/** Records the token of each refused request. The current token may differ by then. */
export class SentTokens {
  readonly #refused = new WeakMap<Response, string>();

  /** @param baseFetch - Its `Response` objects are the keys of `refusedBy`. */
  record(baseFetch: FetchLike): FetchLike {
    return async (url, init) => {
      const response = await baseFetch(url, init);
      const [, token] = new Headers(init?.headers ?? undefined).get('authorization')?.split(' ') ?? [];
      if (response.status === 401 && token !== undefined) this.#refused.set(response, token);
      return response;
    };
  }

  refusedBy(response: Response): string | undefined {
    return this.#refused.get(response);
  }
}
