import type { AuthProvider, OAuthClientProvider } from '@modelcontextprotocol/client';
import { expectTypeOf, test } from 'vitest';
import type { AuthSource, OAuthSource, TokenSource } from '../../src/auth/auth-source.js';
import type { createOAuthProvider } from '../../src/auth/oauth-provider.js';
import type { ClientManagerOptions } from '../../src/options.js';

test("the SDK's providers are compatible", () => {
  expectTypeOf<AuthProvider>().toExtend<TokenSource>();
  expectTypeOf<OAuthClientProvider>().toExtend<OAuthSource>();
  expectTypeOf<{ token(): Promise<string> }>().toExtend<AuthSource>();
});

test("createOAuthProvider returns the manager's auth", () => {
  expectTypeOf<ReturnType<typeof createOAuthProvider>>().toExtend<NonNullable<ClientManagerOptions['auth']>>();
});
