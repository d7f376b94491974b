import { createLocalJWKSet, createRemoteJWKSet, type JWTVerifyGetKey, errors as tokenErrors } from 'jose';
import { messageOf, RegistryError } from '../errors.js';
import type { JwtPolicy } from './jwt-options.js';

/** How long the authorization server may take to give its keys. */
const TIMEOUT_MS = 5_000;
/** Keys may be replaced at any time; a token of an unknown key has them asked for anew, but not more often than this. */
const COOLDOWN_MS = 30_000;
const MAX_AGE_MS = 10 * 60_000;

/** Finds the key that a token says it is signed with. */
export function keySource({ keys, issuer }: JwtPolicy): JWTVerifyGetKey {
  if (!(keys instanceof URL)) return createLocalJWKSet(keys);
  const options = { timeoutDuration: TIMEOUT_MS, cooldownDuration: COOLDOWN_MS, cacheMaxAge: MAX_AGE_MS };
  const remote = createRemoteJWKSet(keys, options);
  return async (header, token) => {
    try {
      return await remote(header, token);
    } catch (error) {
      if (isAboutToken(error)) throw error;
      const message = `The keys of ${issuer} could not be had from ${keys.href}: ${messageOf(error)}`;
      throw new RegistryError('keys-unavailable', message, { cause: error });
    }
  };
}

function isAboutToken(error: unknown): boolean {
  return (
    error instanceof tokenErrors.JWKSNoMatchingKey ||
    error instanceof tokenErrors.JWKSMultipleMatchingKeys ||
    error instanceof tokenErrors.JOSENotSupported
  );
}
