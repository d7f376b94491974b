import { generateKeyPairSync } from 'node:crypto';
import { base64url } from 'jose';
import { expect, test } from 'vitest';
import { fetchWithin, usableKeys } from '../../src/identity/key-source.js';
import { serveOnLoopback } from '../helpers/serve-on-loopback.js';

/** What `fetchWithin` makes of an answer that arrives in these pieces. */
async function fetched(maxBytes: number, status: number, ...pieces: readonly Buffer[]) {
  await using server = await serveOnLoopback(async (_, response) => {
    response.writeHead(status, { 'x-kept': 'yes' });
    for (const piece of pieces) await new Promise((resolve) => response.write(piece, resolve));
    response.end();
  });
  const answer = await fetchWithin(maxBytes)(server.url.href, {});
  return { status: answer.status, kept: answer.headers.get('x-kept'), text: await answer.text() };
}

const text = Buffer.from('zwölf');

test.each<[string, number, readonly Buffer[], string]>([
  ['a text', 200, [text], 'zwölf'],
  ['a text that is cut within a character', 200, [text.subarray(0, 3), text.subarray(3)], 'zwölf'],
  ['a text that ends within a character', 200, [text.subarray(0, 3)], 'zw\ufffd'],
  ['an error', 503, [text], 'zwölf'],
  ['an empty text', 200, [], ''],
  ['an answer that can have no body', 204, [], ''],
])('returns %s with its status and headers', async (_what, status, pieces, expected) => {
  expect(await fetched(100, status, ...pieces)).toEqual({ status, kept: 'yes', text: expected });
});

test('accepts the maximum number of bytes, and refuses one more', async () => {
  expect(await fetched(6, 200, text)).toMatchObject({ text: 'zwölf' });
  await expect(fetched(5, 200, text)).rejects.toThrow(new RangeError('The response has more than 5 bytes'));
});

const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'jwk' });
const p256 = ec('P-256');
const edwards = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
/** A key whose modulus has so many bits, without a private part. */
const rsa = (bits: number, leadingZeros = 0) => {
  const modulus = Buffer.from((2n ** BigInt(bits) - 1n).toString(16).padStart(Math.ceil(bits / 8) * 2, '0'), 'hex');
  return { kty: 'RSA', n: base64url.encode(Buffer.concat([Buffer.alloc(leadingZeros), modulus])), e: 'AQAB' };
};

test.each<[string, unknown]>([
  ['RSA with 2048 bits', rsa(2048)],
  ['RSA with 4096 bits', rsa(4096)],
  ['P-256', p256],
  ['P-384', ec('P-384')],
  ['P-521', ec('P-521')],
  ['Ed25519', edwards],
  ['one that says what it is for', { ...p256, use: 'sig', alg: 'ES256', key_ops: ['verify'], kid: 'one' }],
  ['one for something else, which is looked at with each token', { ...p256, use: 'enc', key_ops: ['encrypt'] }],
])('keeps a key: %s', async (_what, key) => {
  expect(await usableKeys([null, key])).toEqual({ keys: [key] });
});

test.each<[string, unknown]>([
  ['null', null],
  ['a text', 'RSA'],
  ['a list', [p256]],
  ['an empty object', {}],
  ['RSA with 2047 bits', rsa(2047)],
  ['RSA with 2040 bits and zeros before them', rsa(2040, 8)],
  ['RSA without a modulus', { kty: 'RSA', e: 'AQAB' }],
  ['RSA with an empty modulus', { ...rsa(2048), n: '' }],
  ['RSA with a number as modulus', { ...rsa(2048), n: 5 }],
  ['RSA with a modulus of zeros', { ...rsa(2048), n: 'A'.repeat(400) }],
  ['RSA with a modulus in another script', { ...rsa(2048), n: '!'.repeat(400) }],
  ['RSA without an exponent', { ...rsa(2048), e: undefined }],
  ['another curve', ec('secp256k1')],
  ['a point that is none', { ...p256, x: 'AA' }],
  ['half a point', { ...p256, y: undefined }],
  ['another kind', { ...edwards, crv: 'Ed448' }],
])('removes a key: %s', async (_what, key) => {
  expect(await usableKeys([key, p256])).toEqual({ keys: [p256] });
});
