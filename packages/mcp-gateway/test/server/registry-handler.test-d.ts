import type { Registry } from '@x/mcp-registry';
import { expectTypeOf, test } from 'vitest';
import { createTokenVerifier } from '../../src/identity.js';
import { type Caller, createRegistryHandler, type Gateway } from '../../src/index.js';

interface User {
  readonly id: string;
  readonly role: string;
}
declare const registry: Registry;
declare const gateway: Gateway;
declare const findByToken: (token: string) => Promise<User | undefined>;

test('a gateway’s audience has the type that verifyToken returns, with or without a typed parameter', () => {
  gateway.handler({ verifyToken: (token) => findByToken(token) }, (caller) => {
    expectTypeOf(caller).toEqualTypeOf<User>();
    return { role: caller.role, principal: caller.id };
  });
  gateway.handler({ verifyToken: findByToken }, (caller) => {
    expectTypeOf(caller).toEqualTypeOf<User>();
    return { role: caller.role };
  });
});

test('a view function has the type that verifyToken returns, if its parameter has a type', () => {
  createRegistryHandler(
    (caller) => {
      expectTypeOf(caller).toEqualTypeOf<User>();
      return registry.view({ role: caller.role });
    },
    { verifyToken: (token: string) => findByToken(token) },
  );
  createRegistryHandler(
    (caller) => {
      expectTypeOf(caller).toEqualTypeOf<User>();
      return registry.view({ role: caller.role });
    },
    { verifyToken: findByToken },
  );
  createRegistryHandler((caller) => registry.view({ role: caller.role }), {
    verifyToken: createTokenVerifier([{ token: 'a-token-of-16-characters', id: 'alice', role: 'review' }]),
  });
});

test('a view function gets the fields of Caller if the parameter of verifyToken has no type', () => {
  createRegistryHandler(
    (caller) => {
      expectTypeOf(caller).toEqualTypeOf<Caller>();
      return registry.view({ principal: caller.id });
    },
    { verifyToken: (token) => findByToken(token) },
  );
  createRegistryHandler((caller: User) => registry.view({ role: caller.role }), {
    verifyToken: (token) => findByToken(token),
  });
});
