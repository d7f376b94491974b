import { InsufficientScopeError, OAuthError, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client';
import { ManagerError } from '../errors.js';
import { asItIs, type Redact } from '../redaction.js';
import { type AuthSource, isOAuthSource } from './auth-source.js';
import { describeSignInFailure, SignInError, SignInNeededError } from './sign-in-error.js';

/** The SDK's own mark on whatever a sign-in failed with. */
const authSeam = Symbol.for('mcp.authSeamEscape');

/** Whether a request failed for want of a sign-in, rather than because the network, or the sign-in's server, is down. */
export function isAuthFailure(error: unknown): boolean {
  if (error instanceof SdkHttpError) return error.status === 401;
  if (error instanceof SignInError || error instanceof UnauthorizedError) return true;
  if (error instanceof OAuthError || error instanceof InsufficientScopeError) return true;
  const isFromSignIn = typeof error === 'object' && error !== null && authSeam in error;
  return isFromSignIn && !(error instanceof TypeError);
}

interface AuthFailureContext {
  readonly server: string;
  readonly source: AuthSource | undefined;
  /** Goes over what the server says. */
  readonly redact?: Redact | undefined;
}

/**
 * Says how to sign in. What the failure itself says stays behind: it comes from servers, which may repeat a token in it.
 */
export function authRequiredError(
  error: unknown,
  { server, source, redact = asItIs }: AuthFailureContext,
): ManagerError {
  const message = `Server "${server}" wants a sign-in: ${redact(what(error, source))}. ${remedy(server, source)}`;
  return new ManagerError('auth-required', message, { server });
}

function what(error: unknown, source: AuthSource | undefined): string {
  if (error instanceof InsufficientScopeError) {
    const scope =
      error.requiredScope === undefined ? '' : ` (scope ${JSON.stringify(error.requiredScope.slice(0, 200))})`;
    return `it asks for more than was granted${scope}`;
  }
  if (error instanceof SignInNeededError) return 'there is no token for it that could be renewed';
  if (error instanceof SdkHttpError || error instanceof UnauthorizedError) {
    return source ? 'it does not take the token that it got (HTTP 401)' : 'it answered HTTP 401';
  }
  return describeSignInFailure(error) ?? 'the authorization server could not be used as the specification says';
}

function remedy(server: string, source: AuthSource | undefined): string {
  if (!source)
    return `Give the manager an "auth" that knows "${server}", or send a valid token in the server's "headers".`;
  if (!isOAuthSource(source)) return 'Renew the token that its "auth" gives.';
  if (source.redirectUrl === undefined) return 'Check the client id, its secret and its scopes.';
  return `Call authorize() of the managed server "${server}" to sign in.`;
}
