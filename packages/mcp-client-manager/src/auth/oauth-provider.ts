import type { AuthPlug } from './auth-plug.js';
import { type OAuthProviderOptions, resolveOAuth } from './oauth-policy.js';
import { resourceOf } from './resource.js';
import { StoredOAuth } from './stored-oauth.js';

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
    known.forgetRead(); // another process may have signed in meanwhile
    return known;
  };
}
