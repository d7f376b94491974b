import { InsufficientScopeError, OAuthError, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client';
import { ManagerError } from '../errors.js';
import { noRedaction, type Redact } from '../redaction.js';
import { type AuthSource, isOAuthSource } from './auth-source.js';
import { describeSignInFailure, SignInError, SignInNeededError } from './sign-in-error.js';

const authSeam = Symbol.for('mcp.authSeamEscape');

/** `true` if a request lacks a sign-in; `false` if the network or the authorization server failed. */
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
  readonly redact?: Redact | undefined;
}

/** Omits the message of the failure, in which servers may repeat a token. */
export function authRequiredError(
  error: unknown,
  { server, source, redact = noRedaction }: AuthFailureContext,
): ManagerError {
  const message = `Server "${server}" requires a sign-in: ${redact(what(error, source))}. ${remedy(server, source)}`;
  return new ManagerError('auth-required', message, { server });
}

function what(error: unknown, source: AuthSource | undefined): string {
  if (error instanceof InsufficientScopeError) {
    const scope =
      error.requiredScope === undefined ? '' : ` (scope ${JSON.stringify(error.requiredScope.slice(0, 200))})`;
    return `it requires more access than was granted${scope}`;
  }
  if (error instanceof SignInNeededError) return 'there is no token to renew';
  if (error instanceof SdkHttpError || error instanceof UnauthorizedError) {
    return source ? 'it refused the token (HTTP 401)' : 'it answered HTTP 401';
  }
  return describeSignInFailure(error) ?? 'the authorization server does not follow the specification';
}

function remedy(server: string, source: AuthSource | undefined): string {
  if (!source)
    return `Set an "auth" of the manager that covers "${server}", or send a valid token in the server's "headers".`;
  if (!isOAuthSource(source)) return 'Renew the token that its "auth" returns.';
  if (source.redirectUrl === undefined) return 'Check the client id, its secret and its scopes.';
  return `Call authorize() of the managed server "${server}" to sign in.`;
}
