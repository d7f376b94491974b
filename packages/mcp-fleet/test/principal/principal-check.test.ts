import type { ToolCaller } from '@x/internal/contracts';
import { base64url, CompactSign, decodeJwt, SignJWT, UnsecuredJWT } from 'jose';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isFleetError } from '../../src/errors.js';
import { PRINCIPAL_TYPE } from '../../src/principal/claims.js';
import { createPrincipalCheck, type PrincipalCheck } from '../../src/principal/principal-check.js';
import { createNodeKey, createPrincipals, type NodeKey } from '../../src/principal/principals.js';
import { HandMadeNodes } from '../calls/hand-made-nodes.js';

/** What the clock of the node that signs says; the other one's is not asked. */
const EDGE_NOW_MS = 1_900_000_000_000;

let key: NodeKey;
let otherKey: NodeKey;
let nodes: HandMadeNodes;
let clockMs: number;
let principals: PrincipalCheck;

beforeAll(async () => {
  [key, otherKey] = await Promise.all([createNodeKey(), createNodeKey()]);
});

beforeEach(() => {
  clockMs = EDGE_NOW_MS;
  nodes = new HandMadeNodes();
  nodes.add('edge', { incarnation: 3, publicKey: key.publicKey, clockMs: () => clockMs });
  principals = createPrincipalCheck({ node: 'owner', nodes });
});

const live = new AbortController().signal;
const check = async (token: unknown, sender = 'edge') => principals.check(token, sender, live);

function issue({
  owner = 'owner',
  incarnation = 3,
  ...caller
}: ToolCaller & { owner?: string; incarnation?: number } = {}) {
  const issuer = createPrincipals({ node: 'edge', incarnation, privateKey: key.privateKey, clock: () => clockMs });
  return issuer.tokenFor(owner, caller);
}

/** A token as a node would sign it that does not keep to the rules. */
function sign({ header = {}, claims = {}, by = key }: { header?: object; claims?: object; by?: NodeKey } = {}) {
  return new SignJWT({ ...validClaims(), ...claims })
    .setProtectedHeader({ alg: 'EdDSA', typ: PRINCIPAL_TYPE, ...header })
    .sign(by.privateKey);
}

const validClaims = () => ({
  ...{ iss: 'edge', aud: 'owner', inc: 3, jti: 'x', sub: 'alice' },
  ...{ iat: clockMs / 1_000, exp: clockMs / 1_000 + 60 },
});

const withPayload = (token: string, claims: object) => {
  const [header, , signature] = token.split('.');
  return `${header}.${base64url.encode(JSON.stringify(claims))}.${signature}`;
};

test('a token of the calling node names its principal', async () => {
  expect(await check(await issue({ principal: 'alice', role: 'review' }))).toEqual({
    node: 'edge',
    incarnation: 3,
    principal: 'alice',
    role: 'review',
  });
  expect(await check(await issue())).toEqual({ node: 'edge', incarnation: 3 });
});

test('a verified token is accepted synchronously the next time', async () => {
  const token = await issue({ principal: 'alice' });
  const first = await check(token);
  expect(principals.check(token, 'edge', live)).toBe(first);
});

test('calls that come at the same time have their token verified once', async () => {
  const token = await issue();
  const [first, ...others] = await Promise.all(Array.from({ length: 20 }, () => check(token)));
  for (const other of others) expect(other).toBe(first);
});

test('accepts tokens of nodes whose clocks differ by minutes', async () => {
  for (const skewMs of [-86_400_000, -300_000, 0, 300_000, 86_400_000]) {
    clockMs = Date.now() + skewMs;
    expect(await check(await issue())).toMatchObject({ node: 'edge' });
  }
});

describe('a token that does not fit the call is refused', () => {
  const cases: readonly (readonly [string, () => unknown])[] = [
    ['none', () => undefined],
    ['an empty one', () => ''],
    ['no text', () => ({ iss: 'edge' })],
    ['no token', () => 'a.b.c'],
    ['one part of a token', async () => (await issue()).split('.')[0]],
    ['endless text', () => 'a'.repeat(100_000)],
    ['replayed from another node', () => issue({ owner: 'other' })],
    ['for several nodes', () => sign({ claims: { aud: ['owner', 'other'] } })],
    ['of another node', () => sign({ claims: { iss: 'other' } })],
    ['expired', () => sign({ claims: { exp: clockMs / 1_000 } })],
    ['that never expires', () => sign({ claims: { exp: undefined } })],
    ['that is valid for a day', () => sign({ claims: { exp: clockMs / 1_000 + 86_400 } })],
    ['altered', async () => withPayload(await issue(), { ...validClaims(), role: 'admin' })],
    ['with half a signature', async () => (await issue()).slice(0, -20)],
    ['without a signature', async () => `${(await issue()).split('.').slice(0, 2).join('.')}.`],
    ['that is not meant to be signed', () => new UnsecuredJWT({ ...validClaims() }).encode()],
    [
      'of alg none',
      async () =>
        `${base64url.encode(JSON.stringify({ alg: 'none', typ: PRINCIPAL_TYPE }))}.${(await issue()).split('.')[1]}.`,
    ],
    ['signed with another key', () => sign({ by: otherKey })],
    ['signed with the public key as a shared secret', () => signedWithSharedSecret()],
    ['of another type', () => sign({ header: { typ: 'JWT' } })],
    ['with an extension that nobody knows', () => signedWithExtension()],
    ['of an incarnation that is over', () => issue({ incarnation: 2 })],
    ['of no incarnation', () => sign({ claims: { inc: undefined } })],
    ['of somebody who is no text', () => sign({ claims: { sub: 7 } })],
    ['of a role that is no text', () => sign({ claims: { role: ['admin'] } })],
  ];

  function signedWithSharedSecret() {
    return new SignJWT(validClaims())
      .setProtectedHeader({ alg: 'HS256', typ: PRINCIPAL_TYPE })
      .sign(base64url.decode(`${key.publicKey.x}`));
  }

  function signedWithExtension() {
    return new CompactSign(new TextEncoder().encode(JSON.stringify(validClaims())))
      .setProtectedHeader({ alg: 'EdDSA', typ: PRINCIPAL_TYPE, crit: ['x'], x: 1 })
      .sign(key.privateKey, { crit: { x: true } });
  }

  test.each(cases)('%s', async (_, token) => {
    await expect(check(await token())).rejects.toMatchObject({ code: 'refused', retryable: false });
  });

  test('sent by another node than its issuer', async () => {
    nodes.add('other', { publicKey: otherKey.publicKey, clockMs: () => clockMs });
    const token = await issue();
    await expect(check(token, 'other')).rejects.toMatchObject({ code: 'refused' });
    await check(token);
    await expect(check(token, 'other')).rejects.toMatchObject({ code: 'refused' });
  });

  test('of a node with an unsuitable key', async () => {
    nodes.add('edge', { incarnation: 3, publicKey: { kty: 'oct', k: 'AAAA' }, clockMs: () => clockMs });
    await expect(check(await issue())).rejects.toMatchObject({ code: 'refused' });
    nodes.add('edge', { incarnation: 3, publicKey: {}, clockMs: () => clockMs });
    await expect(check(await issue())).rejects.toMatchObject({ code: 'refused' });
  });

  test('verified before, and expired meanwhile', async () => {
    const token = await issue();
    await check(token);
    clockMs += 60_000;
    await expect(check(token)).rejects.toMatchObject({ code: 'refused', message: expect.stringContaining('expired') });
  });

  test('verified before, and its node has joined anew meanwhile', async () => {
    const token = await issue();
    await check(token);
    nodes.add('edge', { incarnation: 4, publicKey: otherKey.publicKey, clockMs: () => clockMs });
    await expect(check(token)).rejects.toMatchObject({ code: 'refused' });
  });

  test('being verified when its node is lost', async () => {
    const verdict = check(await issue());
    nodes.lose('edge');
    nodes.add('edge', { incarnation: 4, publicKey: key.publicKey, clockMs: () => clockMs });
    await expect(verdict).rejects.toMatchObject({ code: 'refused' });
  });
});

test('waits for the lease of a node that has just joined', async () => {
  nodes.lose('edge');
  const verdict = check(await issue());
  await Promise.resolve();
  nodes.add('another');
  nodes.add('edge', { incarnation: 3, publicKey: key.publicKey, clockMs: () => clockMs });
  expect(await verdict).toMatchObject({ node: 'edge' });
  expect(nodes.listenerCount).toBe(0);
});

test('the wait for an unknown node ends when the call is cancelled', async () => {
  nodes.lose('edge');
  const call = new AbortController();
  const verdict = principals.check(await issue(), 'edge', call.signal);
  call.abort();
  await expect(verdict).rejects.toMatchObject({ code: 'refused', retryable: true });
  expect(nodes.listenerCount).toBe(0);
});

test('an error contains no part of a token', async () => {
  const token = `${await issue()}x`;
  const error = await check(token).catch((thrown: unknown) => thrown);
  expect(isFleetError(error) && error.message).toBeTruthy();
  for (const part of token.split('.')) expect(String(error)).not.toContain(part);
  expect(decodeJwt(await issue()).iss).toBe('edge');
});
