import { bytesToHex } from '@noble/hashes/utils.js';
import { messageOf } from '@x/internal/errors';
import { isRecord } from '@x/internal/json';
import {
  base64url,
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  importJWK,
  type JSONWebKeySet,
  type JWK,
  type JWTVerifyGetKey,
  errors as tokenErrors,
} from 'jose';
import { GatewayError } from '../errors.js';
import type { JwtPolicy } from './jwt-options.js';

interface KeyLimits {
  readonly timeoutMs: number;
  /** Largest key document. One with many keys and certificates has about 50 KB. */
  readonly maxBytes: number;
  /** A token with an unknown key triggers a fetch, at most once in this period. */
  readonly cooldownMs: number;
  /** Minimum time between two fetches, even after a failure: forged tokens must not cause a flood of requests. */
  readonly retryMs: number;
  readonly maxAgeMs: number;
}

const LIMITS: KeyLimits = {
  timeoutMs: 5_000,
  maxBytes: 256 * 1024,
  cooldownMs: 30_000,
  retryMs: 5_000,
  maxAgeMs: 10 * 60_000,
};

export function keySource({ keys, issuer }: Pick<JwtPolicy, 'keys' | 'issuer'>, limits = LIMITS): JWTVerifyGetKey {
  if (!(keys instanceof URL)) {
    let local: Promise<JWTVerifyGetKey> | undefined;
    return async (header, token) => {
      local ??= usableKeys(keys.keys).then(createLocalJWKSet);
      return (await local)(header, token);
    };
  }
  const fetchKeys = fetchWithin(limits.maxBytes);
  let failure: unknown = new Error('They were requested a moment ago');
  let nextAt = 0;
  const remote = createRemoteJWKSet(keys, {
    timeoutDuration: limits.timeoutMs,
    cooldownDuration: limits.cooldownMs,
    cacheMaxAge: limits.maxAgeMs,
    [customFetch]: async (url, options) => {
      if (Date.now() < nextAt) throw failure;
      try {
        return await withUsableKeys(await fetchKeys(url, options));
      } finally {
        nextAt = Date.now() + limits.retryMs;
      }
    },
  });
  return async (header, token) => {
    try {
      return await remote(header, token);
    } catch (error) {
      if (isAboutToken(error)) throw error;
      failure = error;
      const message = `The keys of ${issuer} could not be fetched from ${keys.href}: ${messageOf(error)}`;
      throw new GatewayError('keys-unavailable', message, { cause: error });
    }
  };
}

/** Removes unusable keys. Passes anything but a key set through to jose, which reports it. */
async function withUsableKeys(response: Response): Promise<Response> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  if (!isRecord(body) || !Array.isArray(body.keys)) return response;
  return new Response(JSON.stringify({ ...body, ...(await usableKeys(body.keys)) }), response);
}

function isAboutToken(error: unknown): boolean {
  return (
    error instanceof tokenErrors.JWKSNoMatchingKey ||
    error instanceof tokenErrors.JWKSMultipleMatchingKeys ||
    error instanceof tokenErrors.JOSENotSupported
  );
}

type Fetch = (url: string, options: RequestInit) => Promise<Response>;

/** A `fetch` that reads the body as text, and rejects once it exceeds `maxBytes`. */
export function fetchWithin(maxBytes: number): Fetch {
  return async (url, options) => {
    const { status, headers, body } = await fetch(url, options);
    const text = body === null ? '' : await readText(body, maxBytes);
    return new Response(text === '' ? null : text, { status, headers });
  };
}

async function readText(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel();
      throw new RangeError(`The response has more than ${maxBytes} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Shortest RSA key (RFC 7518 3.3). */
const MIN_RSA_BITS = 2048;
const CURVES: ReadonlyMap<string, string> = new Map([
  ['P-256', 'ES256'],
  ['P-384', 'ES384'],
  ['P-521', 'ES512'],
  ['Ed25519', 'EdDSA'],
]);

/**
 * Keeps the keys that can verify a token. A bad one (short RSA key, unknown curve, damaged key) fails only when used,
 * and would then fail tokens of valid keys.
 */
export async function usableKeys(keys: readonly unknown[]): Promise<JSONWebKeySet> {
  const usable = await Promise.all(keys.map(async (key) => (await isUsable(key)) && (key as JWK)));
  return { keys: usable.filter((key) => key !== false) };
}

async function isUsable(key: unknown): Promise<boolean> {
  if (!isRecord(key)) return false;
  const { kty, crv, n } = key;
  const algorithm = kty === 'RSA' ? 'RS256' : CURVES.get(String(crv));
  if (algorithm === undefined) return false;
  try {
    if (kty === 'RSA' && bitsOf(n) < MIN_RSA_BITS) return false;
    // jose checks the declared use with each token.
    const { alg: _alg, use: _use, key_ops: _operations, ...material } = key;
    await importJWK(material as unknown as JWK, algorithm);
    return true;
  } catch {
    return false;
  }
}

/** Bit length of a base64url integer. Throws for any other text. */
function bitsOf(integer: unknown): number {
  return BigInt(`0x${bytesToHex(base64url.decode(integer as string))}`).toString(2).length;
}
