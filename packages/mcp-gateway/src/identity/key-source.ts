import { messageOf } from '@x/internal/errors';
import { isRecord } from '@x/internal/json';
import { createLocalJWKSet, createRemoteJWKSet, customFetch, type JWTVerifyGetKey, errors as tokenErrors } from 'jose';
import { GatewayError } from '../errors.js';
import { fetchWithin } from './bounded-fetch.js';
import type { JwtPolicy } from './jwt-options.js';
import { usableKeys } from './usable-keys.js';

export interface KeyLimits {
  readonly timeoutMs: number;
  /** Documents with many keys and certificates have about 50 KB. */
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
  let failure: unknown = new Error('They were asked for a moment ago');
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
      const message = `The keys of ${issuer} could not be had from ${keys.href}: ${messageOf(error)}`;
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
