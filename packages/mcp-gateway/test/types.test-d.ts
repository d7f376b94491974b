import type * as registryPackage from '@x/mcp-registry';
import { expectTypeOf, test } from 'vitest';
import { createJwtVerifier, createTokenVerifier, type StaticToken } from '../src/identity.js';
import type { AudienceOf, Gateway, Registry, RegistryView, RolePolicy, ToolView } from '../src/index.js';

test('a registry, its views, policies and tools are served as they stand', () => {
  expectTypeOf<registryPackage.Registry>().toExtend<Registry>();
  expectTypeOf<registryPackage.RegistryView>().toExtend<RegistryView>();
  expectTypeOf<registryPackage.RolePolicy>().toExtend<RolePolicy>();
  expectTypeOf<registryPackage.ToolView>().toEqualTypeOf<ToolView>();
});

test('callers of whom a role is required are served with it as they stand', () => {
  const tokens: readonly StaticToken[] = [];
  const required = createTokenVerifier(tokens, { roles: 'required' });
  const claimed = createJwtVerifier({ issuer: 'i', audience: 'a', roleClaim: 'role' });
  type Known = NonNullable<ReturnType<typeof required>>;
  expectTypeOf<Known['role']>().toEqualTypeOf<string>();
  const serve = (gateway: Gateway) => [
    gateway.handler({ verifyToken: required }, ({ id, role }) => ({ role, principal: id })),
    gateway.handler({ verifyToken: claimed }, ({ id, role }) => ({ role, principal: id })),
  ];
  expectTypeOf(serve).returns.toBeArray();
});

test('a role that may be missing is no role for an audience', () => {
  const verify = createTokenVerifier([] as readonly StaticToken[]);
  type Known = NonNullable<ReturnType<typeof verify>>;
  expectTypeOf<Known['role']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<(caller: Known) => { role: string | undefined; principal: string }>().not.toExtend<AudienceOf<Known>>();
  expectTypeOf<(caller: Known) => { principal: string }>().toExtend<AudienceOf<Known>>();
});
