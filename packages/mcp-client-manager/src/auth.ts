// All exports of "@x/mcp-client-manager/auth". A new line here is new public API.
export type { AuthPlug, AuthTarget } from './auth/auth-plug.js';
export type { AuthSource, OAuthSource, SignInCallback, TokenSource } from './auth/auth-source.js';
export type { ClientCredentialsOptions } from './auth/client-credentials.js';
export { createClientCredentialsProvider } from './auth/client-credentials.js';
export type { OAuthProviderOptions, RegisteredClient } from './auth/oauth-policy.js';
export { createOAuthProvider } from './auth/oauth-provider.js';
export type { TokenStore } from './auth/token-store.js';
export { createFileTokenStore } from './auth/token-store.js';
