import { createRegistry, type RoleRules } from '@x/mcp-registry';
import { afterEach, describe, expect, test } from 'vitest';
import { createGateway, type Gateway, type GatewayHandlerOptions } from '../../src/gateway/gateway.js';
import { createTokenVerifier } from '../../src/identity.js';
import type { AudienceOf, Caller } from '../../src/index.js';
import { modernHeaders, modernRequest, postRequest } from '../helpers/http-requests.js';
import { silentUpstreams } from './helpers/plain-upstream.js';

const ALICE = 'the-token-of-alice';
const BOB = 'the-token-of-bob-1';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

function open(roles: RoleRules = [{ role: 'review', allowedTools: ['git'] }]): Gateway {
  const registry = createRegistry({ roles });
  const gateway = createGateway({ registry, upstreams: silentUpstreams() });
  opened.push(registry, gateway);
  return gateway;
}

interface Known extends Caller {
  readonly role?: string | undefined;
}
const byRole: AudienceOf<Known> = ({ id, role }) => (role === undefined ? { principal: id } : { role, principal: id });

describe('creating a handler fails', () => {
  const misspelt = createTokenVerifier([
    { token: ALICE, id: 'alice', role: 'review' },
    { token: BOB, id: 'bob', role: 'revew' },
  ]);

  test('if a token has a role without rules, and the error lists the existing roles', () => {
    expect(() => open().handler({ verifyToken: misspelt }, byRole)).toThrow(
      new TypeError(
        'audienceOf returns a role for "bob" that does not exist: no rule names the role "revew", so it sees nothing. Roles are "review".',
      ),
    );
    expect(() => open([]).handler({ verifyToken: misspelt }, byRole)).toThrow(/"alice".*There are no roles/);
  });

  test('if a token has no role and no role is the default', () => {
    const verifyToken = createTokenVerifier([{ token: ALICE, id: 'alice' }]);
    expect(() => open().handler({ verifyToken }, byRole)).toThrow(
      /^audienceOf returns no role for "alice", and no role/,
    );
    expect(() =>
      open([{ role: 'a', allowedTools: [], isDefault: true }]).handler({ verifyToken }, byRole),
    ).not.toThrow();
  });

  test.each<[string, GatewayHandlerOptions]>([
    ['whoever has the one token', { token: ALICE }],
    ['everybody', { allowAnonymous: true }],
  ])('if %s had a role without rules', (_, options) => {
    expect(() => open().handler(options, () => ({ role: 'revew' }))).toThrow('Roles are "review"');
    expect(() => open().handler(options, () => ({ role: 'revew', servers: ['git'] }))).toThrow('Roles are "review"');
    expect(() => open().handler(options, () => ({ role: 'review', servers: [] }))).not.toThrow();
  });

  test('if a role has no rules', () => {
    const audienceOf = () => ({ role: undefined }) as never;
    expect(() => open().handler({ allowAnonymous: true }, audienceOf)).toThrow(/^role must be a text/);
  });

  test('if audienceOf returns a promise', () => {
    const audienceOf = async () => ({ role: 'review' });
    expect(() => open().handler({ token: ALICE }, audienceOf as never)).toThrow(
      /^audienceOf must return its result synchronously/,
    );
  });

  test('but not if a caller deliberately has no rights, or its role depends on the request', () => {
    expect(() => open().handler({ verifyToken: misspelt }, () => undefined)).not.toThrow();
    const later = () => {
      throw new Error('The roles are not read yet');
    };
    expect(() => open().handler({ verifyToken: misspelt }, later)).not.toThrow();
    const wrapped = (token: string) => misspelt(token);
    expect(() => open().handler({ verifyToken: wrapped }, byRole)).not.toThrow();
  });
});

test('serves no caller whose audience is a promise', async () => {
  const errors: Error[] = [];
  const registry = createRegistry();
  const gateway = createGateway({
    registry,
    upstreams: silentUpstreams(),
    onError: (error) => errors.push(error),
  });
  opened.push(registry, gateway);
  const verifyToken = () => ({ id: 'alice' });
  const handler = gateway.handler({ verifyToken }, (async () => ({ role: 'review' })) as never);
  const headers = { ...modernHeaders('tools/list'), authorization: `Bearer ${ALICE}` };
  const answer = await handler.fetch(postRequest(modernRequest('tools/list'), headers));
  expect(answer.status).toBe(500);
  expect(errors).toEqual([
    expect.objectContaining({ message: expect.stringContaining('must return its result synchronously') }),
  ]);
});
