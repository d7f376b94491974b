import { createSign, KeyObject } from 'node:crypto';
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { isGatewayError } from '../../src/errors.js';
import { keySource } from '../../src/identity/key-source.js';
import { createJwtVerifier, type JwtVerifierOptions, type PublicKeys } from '../../src/identity.js';
import { serveOnLoopback } from '../helpers/serve-on-loopback.js';

const ISSUER = 'https://login.example.com';
const AUDIENCE = 'https://tools.example.com/mcp';

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;
let pair: Pair;
let jwks: PublicKeys;

beforeAll(async () => {
  pair = await generateKeyPair('RS256', { extractable: true });
  jwks = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'RS256' }] };
});

afterEach(() => void vi.useRealTimers());

function verifierOf(options: Partial<JwtVerifierOptions> = {}) {
  const keys = options.jwksUrl === undefined ? { jwks } : {};
  return createJwtVerifier({ issuer: ISSUER, audience: AUDIENCE, ...keys, ...options });
}

interface Signing {
  readonly claims?: JWTPayload;
  readonly key?: Parameters<SignJWT['sign']>[0];
  readonly header?: { alg: string; kid?: string; crit?: string[] };
  readonly isEndless?: boolean;
}

function sign({ claims = {}, key = pair.privateKey, header, isEndless = false }: Signing = {}): Promise<string> {
  const token = new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: 'alice', ...claims });
  if (!isEndless && claims.exp === undefined) token.setExpirationTime('5m');
  return token.setProtectedHeader(header ?? { alg: 'RS256', kid: 'one' }).sign(key);
}

const now = () => Math.floor(Date.now() / 1_000);

test('a valid token of the authorization server belongs to its subject', async () => {
  const claims = { scope: 'read write', groups: ['a'] };
  expect(await verifierOf()(await sign({ claims }))).toEqual({
    id: 'alice',
    scopes: ['read', 'write'],
    expiresAt: expect.any(Number),
    claims: expect.objectContaining({ iss: ISSUER, groups: ['a'] }),
  });
  expect(await verifierOf()(await sign({ claims: { aud: ['https://other.example', AUDIENCE] } }))).toMatchObject({
    id: 'alice',
  });
});

describe('refuses an invalid token', () => {
  const cases: readonly (readonly [string, () => Promise<string> | string])[] = [
    ['of another audience', () => sign({ claims: { aud: 'https://other.example.com/mcp' } })],
    ['of an audience with a slash more', () => sign({ claims: { aud: `${AUDIENCE}/` } })],
    ['of no audience', () => sign({ claims: { aud: [] } })],
    ['of another issuer', () => sign({ claims: { iss: 'https://login.example.com.evil.example' } })],
    ['of an issuer with a slash more', () => sign({ claims: { iss: `${ISSUER}/` } })],
    ['expired', () => sign({ claims: { exp: now() - 10 } })],
    ['that never expires', () => sign({ isEndless: true })],
    ['that is not valid yet', () => sign({ claims: { nbf: now() + 60 } })],
    ['of nobody', () => sign({ claims: { sub: '' } })],
    ['of somebody who is no text', () => sign({ claims: { sub: 7 as unknown as string } })],
    [
      'that is not signed',
      () => new UnsecuredJWT({ iss: ISSUER, aud: AUDIENCE, sub: 'alice' }).setExpirationTime('5m').encode(),
    ],
    ['signed with another key', async () => sign({ key: (await generateKeyPair('RS256')).privateKey })],
    ['of a key that there is not', () => sign({ header: { alg: 'RS256', kid: 'two' } })],
    [
      'signed with the public key as a shared secret',
      async () =>
        sign({ key: new TextEncoder().encode(await exportSPKI(pair.publicKey)), header: { alg: 'HS256', kid: 'one' } }),
    ],
    [
      'with an extension that nobody knows',
      async () => forged(await sign(), { alg: 'RS256', kid: 'one', crit: ['x'], x: 1 }),
    ],
    [
      'whose claims were changed',
      async () =>
        (await sign()).replace(/\.[^.]+\./, `.${part({ iss: ISSUER, aud: AUDIENCE, sub: 'eve', exp: now() + 60 })}.`),
    ],
    [
      'that has a blank before it, which is signed, too',
      async () => {
        const input = (await sign()).replace(/\.[^.]*$/, '');
        const signature = createSign('sha256').update(` ${input}`).sign(KeyObject.from(pair.privateKey));
        return ` ${input}.${signature.toString('base64url')}`;
      },
    ],
    ['that is none', () => 'a-token-of-some-length'],
    ['that is far too long', async () => `${await sign()}${'A'.repeat(20_000)}`],
  ];

  test.each(cases)('%s', async (_, tokenOf) => {
    const token = await tokenOf();
    expect(await verifierOf()(token)).toBeUndefined();
    expect(await verifierOf({ requiredScopes: ['admin'] })(token)).toBeUndefined();
  });

  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const forged = (token: string, header: object) => `${part(header)}.${token.split('.').slice(1).join('.')}`;
});

test('accepts a token of 16 KiB, and no longer one', async () => {
  // Three bytes make four characters: of the lengths of a text, one in four never occurs.
  const tokens = await Promise.all(
    Array.from({ length: 16 }, (_, index) => sign({ claims: { more: 'x'.repeat(11_880 + index) } })),
  );
  const longest = tokens.filter(({ length }) => length <= 16_384).at(-1) ?? '';
  const tooLong = tokens.find(({ length }) => length > 16_384) ?? '';
  expect([longest.length, tooLong.length]).toEqual([16_384, 16_386]);
  expect(await verifierOf()(longest)).toMatchObject({ id: 'alice' });
  expect(await verifierOf()(tooLong)).toBeUndefined();
});

test.each<[string, JWTPayload, readonly string[]]>([
  ['a text with blanks', { scope: ' read  write ' }, ['read', 'write']],
  ['a list', { scp: ['read', '', 5, 'write'] }, ['read', 'write']],
  ['a text in scp', { scp: 'read' }, ['read']],
  ['scope before scp', { scope: 'read', scp: 'write' }, ['read']],
  ['no text', { scope: { read: true } }, []],
  ['nothing', {}, []],
])('reads scopes from %s', async (_what, claims, scopes) => {
  expect(await verifierOf()(await sign({ claims }))).toMatchObject({ scopes });
});

test('a token may expire at the last time of a Date', async () => {
  const token = await sign({ claims: { exp: 8.64e12 - 5 } });
  expect(await verifierOf()(token)).toMatchObject({ expiresAt: 8.64e15 });
});

test('tolerates a clock difference up to the configured one', async () => {
  const token = await sign({ claims: { exp: now() - 30 } });
  expect(await verifierOf({ clockToleranceSeconds: 60 })(token)).toMatchObject({ id: 'alice' });
  expect(await verifierOf({ clockToleranceSeconds: 0 })(token)).toBeUndefined();
});

describe('the role', () => {
  const verify = (claims: JWTPayload) => sign({ claims }).then(verifierOf({ roleClaim: 'role', idClaim: 'email' }));

  test('is the configured claim, as a text or a list of one', async () => {
    expect(await verify({ email: 'a@example.com', role: 'review' })).toMatchObject({
      id: 'a@example.com',
      role: 'review',
    });
    expect(await verify({ email: 'a@example.com', role: ['review'] })).toMatchObject({ role: 'review' });
  });

  test.each([undefined, '', [], ['review', 'admin'], 7, { role: 'review' }])('%j admits no caller', async (role) => {
    expect(await verify({ email: 'a@example.com', role })).toBeUndefined();
  });
});

test('is absent without a configured claim', async () => {
  const caller = await verifierOf()(await sign({ claims: { role: 'admin', undefined: 'admin' } }));
  expect(Object.keys(caller ?? {})).toEqual(['id', 'scopes', 'expiresAt', 'claims']);
});

test('a token without a required scope is valid, but refused', async () => {
  const verify = verifierOf({ requiredScopes: ['tools:read', 'tools:call'] });
  expect(await verify(await sign({ claims: { scope: 'tools:read' } }))).toEqual({
    refused: 'insufficient-scope',
    requiredScopes: ['tools:read', 'tools:call'],
  });
  expect(await verify(await sign({ claims: { scp: ['tools:call', 'tools:read'] } }))).toMatchObject({ id: 'alice' });
});

test('tries all keys for a token without a key id', async () => {
  const other = await generateKeyPair('RS256', { extractable: true });
  const both = { keys: [{ ...(await exportJWK(other.publicKey)), kid: 'zero' }, ...jwks.keys] };
  const verify = verifierOf({ jwks: both });
  expect(await verify(await sign({ header: { alg: 'RS256' } }))).toMatchObject({ id: 'alice' });
  const stranger = (await generateKeyPair('RS256')).privateKey;
  expect(await verify(await sign({ header: { alg: 'RS256' }, key: stranger }))).toBeUndefined();
});

test.each(['ES256', 'EdDSA'])('accepts tokens that are signed with %s', async (alg) => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const verify = verifierOf({ jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'one' }] } });
  expect(await verify(await sign({ key: privateKey, header: { alg, kid: 'one' } }))).toMatchObject({ id: 'alice' });
});

describe('keys of the authorization server', () => {
  test('are fetched once, and again for a token with an unknown key', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    let asked = 0;
    let served: PublicKeys = jwks;
    await using server = await serveOnLoopback((_, response) => {
      asked++;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(served));
    });
    const verify = verifierOf({ jwksUrl: server.url });
    for (let count = 0; count < 3; count++) expect(await verify(await sign())).toMatchObject({ id: 'alice' });
    expect(asked).toBe(1);

    const next = await generateKeyPair('RS256', { extractable: true });
    served = { keys: [{ ...(await exportJWK(next.publicKey)), kid: 'two' }] };
    vi.advanceTimersByTime(31_000);
    const token = await sign({ key: next.privateKey, header: { alg: 'RS256', kid: 'two' } });
    expect(await verify(token)).toMatchObject({ id: 'alice' });
    expect(await verify(await sign({ header: { alg: 'RS256', kid: 'three' } }))).toBeUndefined();
    expect(asked).toBe(2);
  });

  test.each([
    ['an error', 500, 'out of order', 'ERR_JOSE_GENERIC'],
    ['nothing', 204, '', 'ERR_JOSE_GENERIC'],
    ['what is no JSON', 200, '<html>', 'ERR_JOSE_GENERIC'],
    ['what are no keys', 200, '{}', 'ERR_JWKS_INVALID'],
    ['null', 200, 'null', 'ERR_JWKS_INVALID'],
    ['the way to elsewhere', 302, '', 'ERR_JOSE_GENERIC'],
  ])('that are %s are reported to operators, and no token is accepted', async (_, status, text, code) => {
    await using server = await serveOnLoopback((_request, response) => {
      response.writeHead(status, { location: 'http://127.0.0.1:1/', 'content-type': 'application/json' }).end(text);
    });
    const failure = await verifierOf({ jwksUrl: server.url })(await sign()).catch((error: unknown) => error);
    expect(isGatewayError(failure) && failure.code).toBe('keys-unavailable');
    expect((failure as Error).cause).toMatchObject({ code });
    expect((failure as Error).message).toContain(`The keys of ${ISSUER} could not be fetched from ${server.url}`);
  });

  test('are fetched once for any number of concurrent tokens with unknown keys', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    let asked = 0;
    await using server = await serveOnLoopback((_, response) => {
      asked++;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(jwks));
    });
    const verify = verifierOf({ jwksUrl: server.url });
    expect(await verify(await sign())).toMatchObject({ id: 'alice' });
    const unknown = (from: number) =>
      Promise.all(
        Array.from({ length: 50 }, async (_, index) =>
          verify(await sign({ header: { alg: 'RS256', kid: `unknown-${from + index}` } })),
        ),
      );
    await unknown(0);
    expect(asked).toBe(1);
    vi.advanceTimersByTime(31_000);
    await unknown(50);
    expect(asked).toBe(2);
  });

  test('are not fetched for each token while they are unavailable', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    let asked = 0;
    let isUp = false;
    await using server = await serveOnLoopback((_, response) => {
      asked++;
      response.writeHead(isUp ? 200 : 503, { 'content-type': 'application/json' }).end(JSON.stringify(jwks));
    });
    const verify = verifierOf({ jwksUrl: server.url });
    const failed = { code: 'keys-unavailable', message: expect.stringContaining('Expected 200 OK') };
    for (let count = 0; count < 5; count++) await expect(verify(await sign())).rejects.toMatchObject(failed);
    expect(asked).toBe(1);

    isUp = true;
    vi.advanceTimersByTime(4_999);
    await expect(verify(await sign())).rejects.toMatchObject(failed);
    vi.advanceTimersByTime(1);
    expect(await verify(await sign())).toMatchObject({ id: 'alice' });
    expect(asked).toBe(2);
  });

  test('without an end are aborted', async () => {
    let isOver = () => {};
    const over = new Promise<void>((resolve) => (isOver = resolve));
    await using server = await serveOnLoopback((_, response) => {
      response.setHeader('content-type', 'application/json').write('{"keys":[');
      const more = () => void (response.write(`"${'x'.repeat(16_384)}",`) && setImmediate(more));
      response.on('drain', more).on('close', isOver);
      more();
    });
    await expect(verifierOf({ jwksUrl: server.url })(await sign())).rejects.toMatchObject({
      code: 'keys-unavailable',
      message: expect.stringContaining('more than 262144 bytes'),
    });
    await over;
  });

  test('that stall are waited for only up to the time limit', async () => {
    await using server = await serveOnLoopback((_, response) => {
      response.setHeader('content-type', 'application/json').write('{"keys":[');
    });
    const limits = { timeoutMs: 50, maxBytes: 1_000, cooldownMs: 1_000, retryMs: 1_000, maxAgeMs: 1_000 };
    const keyOf = keySource({ keys: server.url, issuer: ISSUER }, limits);
    const failure = await Promise.resolve(keyOf({ alg: 'RS256' }, { payload: '', signature: '' })).catch(
      (error) => error,
    );
    expect(failure).toMatchObject({ code: 'keys-unavailable', message: expect.stringContaining('timed out') });
  });

  test('that are unreachable are reported to operators', async () => {
    await expect(verifierOf({ jwksUrl: 'http://127.0.0.1:1/keys' })(await sign())).rejects.toMatchObject({
      code: 'keys-unavailable',
    });
  });
});

describe('options', () => {
  test.each([
    [{ issuer: '' }, 'issuer must be'],
    [{ issuer: 5 }, 'issuer must be a text that is not empty, got number'],
    [{ audience: [] }, 'audience must be a list of at least one text'],
    [{ audience: [''] }, 'audience must be'],
    [{ jwks: undefined }, 'One of jwksUrl and jwks'],
    [{ jwks: undefined, jwksUrl: 'http://login.example.com/keys' }, 'jwksUrl must be an https: URL'],
    [
      { jwks: undefined, jwksUrl: 'keys' },
      'jwksUrl must be an https: URL, or an http: one of the loopback, got "keys"',
    ],
    [{ jwks: undefined, jwksUrl: 'file:///etc/keys' }, 'jwksUrl must be an https: URL'],
    [{ jwksUrl: 'https://login.example.com/keys' }, 'One of jwksUrl and jwks'],
    [{ jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } }, 'jwks.keys[0] must be a public key'],
    [{ jwks: { keys: [{ kty: 'oct' }] } }, 'jwks.keys[0] must be a public key'],
    [{ jwks: { keys: [{}, 5] } }, 'jwks must be a JSON Web Key Set'],
    [{ jwks: { keys: [{ kty: 'EC', x: '', y: '', d: '' }] } }, 'jwks.keys[0] must be a public key'],
    [{ jwks: {} as PublicKeys }, 'jwks must be a JSON Web Key Set'],
    [
      { algorithms: ['HS256'] },
      'algorithms must be among RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, ',
    ],
    [{ algorithms: ['none'] }, 'algorithms must be among'],
    [{ algorithms: [] }, 'algorithms must be a list of at least one text'],
    [{ algorithms: 'ES256' }, 'algorithms must be a list of at least one text'],
    [{ requiredScopes: 'tools' }, 'requiredScopes must be a list of at least one text'],
    [{ clockToleranceSeconds: 301 }, 'clockToleranceSeconds must be 0 to 300'],
    [{ clockToleranceSeconds: -1 }, 'clockToleranceSeconds must be 0 to 300'],
    [{ clockToleranceSeconds: Number.NaN }, 'clockToleranceSeconds must be'],
    [{ idClaim: '' }, 'idClaim must be'],
    [{ roleClaim: '' }, 'roleClaim must be'],
    [{ requiredScopes: [''] }, 'requiredScopes must be'],
  ] as const)('refuses %j by name', (options, message) => {
    const all = { issuer: ISSUER, audience: AUDIENCE, jwks, ...options } as JwtVerifierOptions;
    expect(() => createJwtVerifier(all)).toThrow(TypeError);
    expect(() => createJwtVerifier(all)).toThrow(message);
  });

  test.each(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'])('refuses a key with the private member %s', (member) => {
    const keys = [...jwks.keys, { kty: 'RSA', n: '', e: '', [member]: '' }];
    expect(() => verifierOf({ jwks: { keys } })).toThrow(
      new TypeError('jwks.keys[1] must be a public key; it has a private or shared part'),
    );
  });

  test('accepts a clock tolerance of 300 seconds', async () => {
    const token = await sign({ claims: { exp: now() - 290 } });
    expect(await verifierOf({ clockToleranceSeconds: 300 })(token)).toMatchObject({ id: 'alice' });
  });
});
