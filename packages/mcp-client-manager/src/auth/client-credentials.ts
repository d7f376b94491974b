import type { AuthPlug } from '../session/auth-plug.js';
import type { OAuthSource } from './auth-source.js';
import { resourceOf } from './resource.js';

/** A sign-in of a program, with nobody asked (OAuth client credentials). */
export interface ClientCredentialsOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Issuer of the authorization server that knows the client. The secret is sent to no other. */
  readonly issuer: string;
  /** Asked for unless a server's spec has its own. Default: whatever the server asks for. */
  readonly scopes?: readonly string[] | undefined;
}

/**
 * Signs a machine in with its own id and secret (the OAuth grant `client_credentials`). Nobody is asked, tokens are kept
 * in memory. Pass it as the manager's `auth`, or call it from there for the servers that it is meant for.
 *
 * @throws {TypeError} Names the option that is missing.
 */
export function createClientCredentialsProvider(options: ClientCredentialsOptions): AuthPlug {
  const { clientId, clientSecret, issuer, scopes = [] } = options;
  for (const [name, value] of Object.entries({ clientId, clientSecret, issuer })) {
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a text that is not empty`);
  }
  const providers = new Map<string, OAuthSource>();
  return async (server) => {
    // Loaded with the first server that is signed in to: see `supervisor/session-code.ts`.
    const { ClientCredentialsProvider } = await import('@modelcontextprotocol/client');
    const scope = (server.scopes.length > 0 ? server.scopes : scopes).join(' ');
    const key = JSON.stringify([resourceOf(server.url), scope]);
    const provider =
      providers.get(key) ??
      new ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer: issuer, ...(scope !== '' && { scope }) });
    providers.set(key, provider);
    return provider;
  };
}
