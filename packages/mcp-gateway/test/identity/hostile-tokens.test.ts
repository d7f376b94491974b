import { createHmac, createSign, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createJwtVerifier } from '../../src/identity.js';
import { serveOnLoopback } from '../helpers/serve-on-loopback.js';

// A token of each kind that forgers, careless servers and odd libraries make. Every one is checked by two verifiers: one with the keys
// in its options and one that fetches them, among keys that cannot be used.
const ISSUER = 'https://login.example.com';
const AUDIENCE = 'https://tools.example.com/mcp';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const bitcoin = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
const edwards = generateKeyPairSync('ed25519');
const sealing = generateKeyPairSync('rsa', { modulusLength: 2048 });

const jwk = (key: KeyObject, more: object = {}) => ({ ...key.export({ format: 'jwk' }), ...more });
const good = [
  jwk(rsa.publicKey, { kid: 'rsa' }),
  jwk(p256.publicKey, { kid: 'p256' }),
  jwk(edwards.publicKey, { kid: 'ed' }),
  jwk(sealing.publicKey, { kid: 'enc', use: 'enc' }),
];
/** Each would fail the tokens of the good keys if it were tried. */
const bad = [
  jwk(weak.publicKey, { kid: 'weak' }),
  jwk(bitcoin.publicKey, { kid: 'k1', alg: 'ES256K' }),
  { kty: 'RSA', n: '', e: 'AQAB' },
  { kty: 'RSA', n: '!!!', e: 'AQAB' },
  { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' },
  { kty: 'EC', crv: 'P-256' },
  { kty: 'OKP', crv: 'Ed448', x: 'AA' },
  { kty: 'AKP', alg: 'ML-DSA-44', pub: 'AA' },
  {},
];
const jwks = { keys: [...bad, ...good] };

const now = Math.floor(Date.now() / 1_000);
const base64 = (value: string | Buffer): string => Buffer.from(value).toString('base64url');
const json = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const claims = { iss: ISSUER, aud: AUDIENCE, sub: 'alice', role: 'review', exp: now + 300, iat: now };
const header = { alg: 'RS256', kid: 'rsa' };

type Signer = (input: string) => Buffer;
const rs256 =
  (key: KeyObject, hash = 'sha256'): Signer =>
  (input) =>
    createSign(hash).update(input).sign(key);
const es256 =
  (key: KeyObject, dsaEncoding: 'ieee-p1363' | 'der' = 'ieee-p1363'): Signer =>
  (input) =>
    sign('sha256', Buffer.from(input), { key, dsaEncoding });
const hs256 =
  (secret: string | Buffer): Signer =>
  (input) =>
    createHmac('sha256', secret).update(input).digest();
const signature =
  (bytes: Buffer): Signer =>
  () =>
    bytes;

/** A token with any header, any payload (any text) and any signature. */
function token(head: unknown = header, payload: unknown = claims, signer: Signer = rs256(rsa.privateKey)): string {
  const input = `${base64(json(head))}.${base64(json(payload))}`;
  return `${input}.${base64(signer(input))}`;
}
const saying = (more: object): string => token(header, { ...claims, ...more });
const without = (...names: string[]): string =>
  token(header, Object.fromEntries(Object.entries(claims).filter(([name]) => !names.includes(name))));
/** JSON with numbers that `JSON.stringify` does not write. */
const withExp = (exp: string): string => token(header, JSON.stringify({ ...claims, exp: 'EXP' }).replace('"EXP"', exp));
const typed = (typ: unknown): string => token({ ...header, typ });
const pem = rsa.publicKey.export({ format: 'pem', type: 'spki' }) as string;
const der = rsa.publicKey.export({ format: 'der', type: 'spki' });
const own = token();
const [ownHead = '', ownPayload = '', ownSignature = ''] = own.split('.');

const refused: readonly (readonly [string, string])[] = [
  // algorithms
  ...['none', 'None', 'NONE', 'nOnE'].map(
    (alg) => [`alg ${alg}`, token({ alg }, claims, signature(Buffer.alloc(0)))] as const,
  ),
  ['alg none with the signature of another token', token({ alg: 'none', kid: 'rsa' })],
  ['no alg', token({ kid: 'rsa' })],
  ['alg null', token({ alg: null, kid: 'rsa' })],
  ['alg as a list', token({ alg: ['RS256'], kid: 'rsa' })],
  ['alg in small letters', token({ alg: 'rs256', kid: 'rsa' })],
  ['HS256 with the PEM text', token({ alg: 'HS256', kid: 'rsa' }, claims, hs256(pem))],
  ['HS256 with the PEM text without its last line end', token({ alg: 'HS256' }, claims, hs256(pem.trim()))],
  ['HS256 with the DER bytes', token({ alg: 'HS256', kid: 'rsa' }, claims, hs256(der))],
  ['HS256 with the modulus', token({ alg: 'HS256' }, claims, hs256(String(rsa.publicKey.export({ format: 'jwk' }).n)))],
  ['HS256 with an empty secret', token({ alg: 'HS256' }, claims, hs256(''))],
  ['HS256 without a kid', token({ alg: 'HS256' }, claims, hs256('secret'))],
  ['RS1', token({ alg: 'RS1', kid: 'rsa' }, claims, rs256(rsa.privateKey, 'sha1'))],
  ['RS256 said, SHA-512 used', token(header, claims, rs256(rsa.privateKey, 'sha512'))],
  ['PS256 said, PKCS 1 used', token({ alg: 'PS256', kid: 'rsa' })],
  ['ES256K', token({ alg: 'ES256K', kid: 'k1' }, claims, es256(bitcoin.privateKey))],
  ['ES256 with the secp256k1 key', token({ alg: 'ES256', kid: 'k1' }, claims, es256(bitcoin.privateKey))],
  ['ES256 with zeros', token({ alg: 'ES256', kid: 'p256' }, claims, signature(Buffer.alloc(64)))],
  ['ES256 with DER', token({ alg: 'ES256', kid: 'p256' }, claims, es256(p256.privateKey, 'der'))],
  ['ES256 with half a signature', token({ alg: 'ES256', kid: 'p256' }, claims, signature(Buffer.alloc(32, 1)))],
  ['ES384 with the P-256 key', token({ alg: 'ES384', kid: 'p256' }, claims, es256(p256.privateKey))],
  ['ES256 with another curve', token({ alg: 'ES256', kid: 'p256' }, claims, es256(p384.privateKey))],
  ['RS256 with the kid of the EC key', token({ alg: 'RS256', kid: 'p256' })],
  ['EdDSA with zeros', token({ alg: 'EdDSA', kid: 'ed' }, claims, signature(Buffer.alloc(64)))],
  // keys
  ['the key of a stranger', token(header, claims, rs256(stranger.privateKey))],
  ['the key of a stranger without a kid', token({ alg: 'RS256' }, claims, rs256(stranger.privateKey))],
  ['an unknown kid', token({ ...header, kid: 'other' })],
  ['a kid that is a path', token({ ...header, kid: '../../../dev/null' }, claims, hs256(''))],
  ['a kid that is SQL', token({ ...header, kid: "x' UNION SELECT 'a" }, claims, hs256('a'))],
  ['a kid that is a number', token({ ...header, kid: 1 })],
  ['a kid __proto__', token({ ...header, kid: '__proto__' })],
  ['the key for encryption', token({ alg: 'RS256', kid: 'enc' }, claims, rs256(sealing.privateKey))],
  ['the weak key', token({ alg: 'RS256', kid: 'weak' }, claims, rs256(weak.privateKey))],
  ['the weak key without a kid', token({ alg: 'RS256' }, claims, rs256(weak.privateKey))],
  ['an embedded jwk', token({ alg: 'RS256', jwk: jwk(stranger.publicKey) }, claims, rs256(stranger.privateKey))],
  [
    'an embedded jwk with our kid',
    token({ ...header, jwk: jwk(stranger.publicKey) }, claims, rs256(stranger.privateKey)),
  ],
  ['a jku', token({ ...header, jku: 'http://127.0.0.1:1/keys' }, claims, rs256(stranger.privateKey))],
  ['an x5u', token({ ...header, x5u: 'http://127.0.0.1:1/cert' }, claims, rs256(stranger.privateKey))],
  ['an x5c', token({ ...header, x5c: [base64(der)] }, claims, rs256(stranger.privateKey))],
  // header
  ['crit with an unknown extension', token({ ...header, crit: ['x'], x: 1 })],
  ['crit that is empty', token({ ...header, crit: [] })],
  ['crit with a registered name', token({ ...header, crit: ['alg'] })],
  ['b64 false', token({ ...header, b64: false, crit: ['b64'] })],
  ['typ logout+jwt', typed('logout+jwt')],
  ['typ dpop+jwt', typed('dpop+jwt')],
  ['typ secevent+jwt', typed('secevent+jwt')],
  ['typ id_token', typed('id_token')],
  ['typ application/dpop+jwt', typed('application/dpop+jwt')],
  ['typ JOSE', typed('JOSE')],
  ['typ with a blank', typed(' JWT')],
  ['typ that is empty', typed('')],
  ['typ null', typed(null)],
  ['typ as a list', typed(['JWT'])],
  ['a header that is a list', token([header])],
  ['a header that is a text', token('"RS256"')],
  ['a header that is no JSON', token('{')],
  // times
  ['no exp', without('exp')],
  ['exp null', saying({ exp: null })],
  ['exp as a text', saying({ exp: String(now + 300) })],
  ['exp as a list', saying({ exp: [now + 300] })],
  ['exp in the past', saying({ exp: now - 600 })],
  ['exp 0', saying({ exp: 0 })],
  ['exp below 0', saying({ exp: -1 })],
  ['exp 1e400', withExp('1e400')],
  ['exp 1e308', withExp('1e308')],
  ['exp after the last date', withExp('8640000000001')],
  ['exp -1e400', withExp('-1e400')],
  ['nbf in the future', saying({ nbf: now + 600 })],
  ['nbf as a text', saying({ nbf: '0' })],
  ['nbf 1e400', token(header, JSON.stringify({ ...claims, nbf: 'NBF' }).replace('"NBF"', '1e400'))],
  // audience and issuer
  ['no aud', without('aud')],
  ['aud null', saying({ aud: null })],
  ['aud empty', saying({ aud: [] })],
  ['another aud', saying({ aud: 'https://other.example.com/mcp' })],
  ['aud with a slash more', saying({ aud: `${AUDIENCE}/` })],
  ['aud in capitals', saying({ aud: AUDIENCE.toUpperCase() })],
  ['aud in a text with others', saying({ aud: `${AUDIENCE} https://other.example.com` })],
  ['aud in a list in a list', saying({ aud: [[AUDIENCE]] })],
  ['aud as an object', saying({ aud: { [AUDIENCE]: true } })],
  ['no iss', without('iss')],
  ['iss with a slash more', saying({ iss: `${ISSUER}/` })],
  ['iss that only starts alike', saying({ iss: `${ISSUER}.evil.example` })],
  ['iss as a list', saying({ iss: [ISSUER] })],
  // who it is
  ['no sub', without('sub')],
  ['sub empty', saying({ sub: '' })],
  ['sub null', saying({ sub: null })],
  ['sub as a number', saying({ sub: 7 })],
  ['sub as an object', saying({ sub: { toString: 'alice' } })],
  ['sub with a line break', saying({ sub: 'alice\nadmin logged in' })],
  ['sub with an escape', saying({ sub: 'alice\u001b[2J' })],
  ['sub with NUL', saying({ sub: 'alice\0' })],
  ['sub with a C1 control', saying({ sub: 'alice\u009b2J' })],
  ['sub with a line separator', saying({ sub: 'alice\u2028admin' })],
  ['sub that is written backwards', saying({ sub: 'alice\u202enimda' })],
  ['sub with half a character', token(header, JSON.stringify({ ...claims, sub: 'X' }).replace('"X"', '"a\\ud800"'))],
  ['no role', without('role')],
  ['role empty', saying({ role: '' })],
  ['two roles', saying({ role: ['review', 'admin'] })],
  ['role in a list in a list', saying({ role: [['review', 'admin']] })],
  ['role as an object', saying({ role: { review: true } })],
  ['role with a line break', saying({ role: 'review\nadmin' })],
  ['claims in __proto__', token(header, `{"__proto__":${JSON.stringify(claims)}}`)],
  [
    'role in __proto__',
    token(header, JSON.stringify({ ...claims, role: undefined }).replace('{', '{"__proto__":{"role":"admin"},')),
  ],
  ['role in constructor', saying({ role: undefined, constructor: { role: 'admin' } })],
  // shape
  ['a payload that is no JSON', token(header, 'x')],
  ['a payload that is a list', token(header, [claims])],
  ['a payload that is null', token(header, 'null')],
  ['a payload 5,000 levels deep', token(header, `${'['.repeat(5_000)}${']'.repeat(5_000)}`)],
  ['a changed payload', `${ownHead}.${base64(JSON.stringify({ ...claims, sub: 'eve' }))}.${ownSignature}`],
  ['a changed header', `${base64(JSON.stringify({ ...header, x: 1 }))}.${ownPayload}.${ownSignature}`],
  ['no signature', `${ownHead}.${ownPayload}.`],
  ['two parts', `${ownHead}.${ownPayload}`],
  ['four parts', `${own}.x`],
  ['five parts', 'eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.a.b.c.d'],
  ['the JSON form', JSON.stringify({ protected: ownHead, payload: ownPayload, signature: ownSignature })],
  ['a blank before it', ` ${own}`],
  ['a line end after it', `${own}\n`],
  ['padding after it', `${own}==`],
  ['a token in a token', base64(own)],
  ['dots alone', '..'],
  ['nothing', ''],
  ['16 KiB and more', `${own}${'A'.repeat(17_000)}`],
];

const accepted: readonly (readonly [string, string])[] = [
  ['RS256', own],
  ['RS256 without a kid, beside weak and damaged keys', token({ alg: 'RS256' })],
  ['ES256 without a kid', token({ alg: 'ES256' }, claims, es256(p256.privateKey))],
  [
    'EdDSA without a kid',
    token({ alg: 'EdDSA' }, claims, (input) => sign(null, Buffer.from(input), edwards.privateKey)),
  ],
  ...['JWT', 'jwt', 'at+jwt', 'application/at+jwt', 'AT+JWT'].map((typ) => [`typ ${typ}`, typed(typ)] as const),
  ['aud among others', saying({ aud: ['https://other.example.com', AUDIENCE] })],
  ['a role in a list of one', saying({ role: ['review'] })],
  ['a name in another script', saying({ sub: 'Ağça 李' })],
];

const options = { issuer: ISSUER, audience: AUDIENCE, roleClaim: 'role' };
const verify = createJwtVerifier({ ...options, jwks });

test('the corpus has as many tokens as the security model says', () => {
  expect(new Set([...refused, ...accepted].map(([name]) => name)).size).toBe(refused.length + accepted.length);
  expect([refused.length, accepted.length]).toEqual([125, 12]);
});

describe('is refused, without a server error', () => {
  test.each(refused)('%s', async (_, text) => {
    expect(await verify(text)).toBeUndefined();
  });
});

describe('is accepted', () => {
  test.each(accepted)('%s', async (_, text) => {
    expect(await verify(text)).toMatchObject({ id: expect.any(String), role: 'review' });
  });
});

test('fetched keys give the same results', async () => {
  await using server = await serveOnLoopback((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(jwks));
  });
  const fetching = createJwtVerifier({ ...options, jwksUrl: server.url });
  for (const [name, text] of refused) expect(await fetching(text), name).toBeUndefined();
  for (const [name, text] of accepted) expect(await fetching(text), name).toMatchObject({ role: 'review' });
});
