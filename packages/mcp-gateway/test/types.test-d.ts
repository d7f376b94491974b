import type * as registryPackage from '@x/mcp-registry';
import type { CodeRunner } from '@x/mcp-registry/code';
import type { RolePolicy as RegistryRolePolicy } from '@x/mcp-registry/roles';
import { expectTypeOf, test } from 'vitest';
import { createJwtVerifier, createTokenVerifier, type StaticToken } from '../src/identity.js';
import type {
  AudienceOf,
  CodeTool,
  CodeToolView,
  Gateway,
  Registry,
  RegistryView,
  RolePolicy,
  SurfaceOptions,
  ToolView,
} from '../src/index.js';
import type * as sdkV1 from '../src/sdk-v1.js';

test('accepts a registry, its views, policies and tools', () => {
  expectTypeOf<registryPackage.Registry>().toExtend<Registry>();
  expectTypeOf<registryPackage.RegistryView>().toExtend<RegistryView>();
  expectTypeOf<RegistryRolePolicy>().toExtend<RolePolicy>();
  expectTypeOf<registryPackage.ToolView>().toEqualTypeOf<ToolView>();
});

test('a runner of the registry is the tool of programs, whose type can be imported', () => {
  expectTypeOf<CodeRunner>().toExtend<CodeTool>();
  expectTypeOf<SurfaceOptions['code']>().toEqualTypeOf<CodeTool | undefined>();
  expectTypeOf<Parameters<CodeTool['run']>[0]>().toEqualTypeOf<CodeToolView>();
  expectTypeOf<sdkV1.CodeTool>().toEqualTypeOf<CodeTool>();
  expectTypeOf<sdkV1.CodeToolView>().toEqualTypeOf<CodeToolView>();
});

test('accepts callers with a required role', () => {
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

test('a missing role is no role for an audience', () => {
  const verify = createTokenVerifier([] as readonly StaticToken[]);
  type Known = NonNullable<ReturnType<typeof verify>>;
  expectTypeOf<Known['role']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<(caller: Known) => { role: string | undefined; principal: string }>().not.toExtend<AudienceOf<Known>>();
  expectTypeOf<(caller: Known) => { principal: string }>().toExtend<AudienceOf<Known>>();
});
