import { auth, extractWWWAuthenticateParams, type FetchLike } from '@modelcontextprotocol/client';
import { ManagerError } from '../errors.js';
import { authFetch } from './auth-fetch.js';
import {
  type AuthSource,
  forgetMissingScope,
  isOAuthSource,
  joinScopes,
  missingScope,
  type OAuthSource,
  type SignInCallback,
} from './auth-source.js';
import { describeSignInFailure } from './sign-in-error.js';
import { oauthProvider } from './silent-auth.js';

export interface AuthorizeRequest {
  readonly server: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty: the scopes that the server requests. */
  readonly scopes: readonly string[];
  readonly source: AuthSource | undefined;
  readonly signal: AbortSignal;
}

/**
 * Signs the user in to one server, even if there are tokens already, and stores the new ones.
 *
 * @throws {ManagerError} `unsupported` without a suitable auth source; `auth-required` if the sign-in failed.
 */
export async function authorize(request: AuthorizeRequest): Promise<void> {
  const { server, source, signal } = request;
  signal.throwIfAborted();
  if (!source) throw notSupported(server, 'the manager\'s "auth" returns no auth source for it');
  if (!isOAuthSource(source)) throw notSupported(server, 'its "auth" is a source of tokens without a sign-in');
  const callback = await opened(source, request);
  try {
    await signIn(source, callback, request);
    forgetMissingScope(source);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof ManagerError ? error : failure(server, error);
  } finally {
    await callback?.close();
  }
}

async function opened(source: OAuthSource, { server, signal }: AuthorizeRequest): Promise<SignInCallback | undefined> {
  if (source.redirectUrl === undefined) return undefined;
  if (!source.openCallback)
    throw notSupported(server, 'its "auth" has no openCallback(), so the app must run the sign-in');
  try {
    return await source.openCallback({ signal });
  } catch (error) {
    signal.throwIfAborted();
    throw failure(server, error);
  }
}

async function signIn(
  source: OAuthSource,
  callback: SignInCallback | undefined,
  { server, url, headers, scopes, signal }: AuthorizeRequest,
): Promise<void> {
  const provider = oauthProvider(source);
  const fetchFn = authFetch({ fetch, serverUrl: url, headers, signal });
  const challenge = await challengeOf(url, fetchFn);
  const options = {
    serverUrl: url,
    fetchFn,
    scope: await scopeFor(source, scopes.length > 0 ? scopes.join(' ') : challenge.scope),
    ...(challenge.resourceMetadataUrl && { resourceMetadataUrl: challenge.resourceMetadataUrl }),
  };
  const result = await auth(provider, { ...options, forceReauthorization: true });
  if (result === 'AUTHORIZED' || !callback) return;
  const query = await callback.received;
  const code = query.get('code');
  if (code === null)
    throw new ManagerError('auth-required', `Server "${server}": the sign-in was refused.`, { server });
  const iss = query.get('iss');
  await auth(provider, { ...options, authorizationCode: code, ...(iss !== null && { iss }) });
}

/** Adds the scope that a request lacked, and all granted scopes, which the sign-in would otherwise drop. */
async function scopeFor(source: OAuthSource, requested: string | undefined): Promise<string> {
  const missing = missingScope(source);
  if (missing === undefined) return joinScopes(requested);
  const granted = (await oauthProvider(source).tokens())?.scope;
  return joinScopes(requested, granted, missing);
}

/** The server's challenge to a `ping` without a token, which opens no session. */
async function challengeOf(url: string, fetchFn: FetchLike): Promise<{ scope?: string; resourceMetadataUrl?: URL }> {
  const response = await fetchFn(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    redirect: 'manual',
  });
  await response.body?.cancel();
  return response.status === 401 ? extractWWWAuthenticateParams(response) : {};
}

function notSupported(server: string, why: string): ManagerError {
  return new ManagerError('unsupported', `Server "${server}" cannot be signed in to: ${why}.`, { server });
}

/** Omits texts of the authorization server, which may repeat a code or a token. */
function failure(server: string, error: unknown): ManagerError {
  const message = `The sign-in to server "${server}" failed: ${reasonOf(error)}. Call authorize() to try again.`;
  return new ManagerError('auth-required', message, { server });
}

function reasonOf(error: unknown): string {
  const known = describeSignInFailure(error);
  return known ?? (error instanceof TypeError ? 'a request failed' : 'a server did not follow the specification');
}
