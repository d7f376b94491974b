import type { AuthPlug } from '../session/auth-plug.js';
import { type OAuthProviderOptions, resolveOAuth } from './oauth-policy.js';
import { resourceOf } from './resource.js';
import { StoredOAuth } from './stored-oauth.js';

/**
 * Signs people in to HTTP servers with OAuth 2.1: finds the authorization server, registers, opens the page, takes the
 * answer on a port of this machine, keeps the tokens and renews them. Pass it as the manager's `auth`; one is enough for
 * any number of servers. The user is asked only by `authorize()` of a managed server, never while one merely starts.
 *
 * @throws {TypeError} Names the option that is out of bounds.
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
    known.forgetRead(); // another process may have signed in since the last connection
    return known;
  };
}
