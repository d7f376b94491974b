import { refuseUnknownKeys, requireObject } from '@x/internal/options';
import { type AuthPlug, resourceOf } from './auth-plug.js';
import type { OAuthSource } from './auth-source.js';

/** Options of a sign-in without a user (OAuth client credentials). */
export interface ClientCredentialsOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Issuer of the client's authorization server. The secret goes to no other server. */
  readonly issuer: string;
  /** Requested scopes if the server's spec has none. Default: the scopes that the server requests. */
  readonly scopes?: readonly string[] | undefined;
}

const names = [
  'clientId',
  'clientSecret',
  'issuer',
  'scopes',
] as const satisfies readonly (keyof ClientCredentialsOptions)[];

/**
 * Signs a program in with its own id and secret (OAuth grant `client_credentials`). Keeps tokens in memory. Pass the
 * result as the manager's `auth`, or call it from an `auth` function.
 *
 * @throws {TypeError} An option is missing; the message names it.
 */
export function createClientCredentialsProvider(options: ClientCredentialsOptions): AuthPlug {
  requireObject('options', options, names);
  refuseUnknownKeys(options, names);
  const { clientId, clientSecret, issuer, scopes = [] } = options;
  for (const [name, value] of Object.entries({ clientId, clientSecret, issuer })) {
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a non-empty string`);
  }
  const providers = new Map<string, OAuthSource>();
  return async (server) => {
    // Loaded on first use, as in `supervisor/generation/session-code.ts`.
    const { ClientCredentialsProvider } = await import('./client-credentials-flow.js');
    const scope = (server.scopes.length > 0 ? server.scopes : scopes).join(' ');
    const key = JSON.stringify([resourceOf(server.url), scope]);
    const provider =
      providers.get(key) ??
      new ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer: issuer, ...(scope !== '' && { scope }) });
    providers.set(key, provider);
    return provider;
  };
}
