import { isRecord } from '@x/internal/json';
import {
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
  errors as tokenErrors,
} from 'jose';
import { isGatewayError } from '../errors.js';
import { type JwtPolicy, type JwtVerifierOptions, resolveJwt } from './jwt-options.js';
import { keySource } from './key-source.js';
import type { TokenRefusal } from './static-tokens.js';

export type { JwtVerifierOptions, PublicKeys } from './jwt-options.js';

/** The caller of a JSON Web Token. */
export interface JwtCaller {
  /** The value of `idClaim`. */
  readonly id: string;
  /** The value of `roleClaim`, if set. */
  readonly role?: string;
  /** From `scope` or `scp`. */
  readonly scopes: readonly string[];
  /** Expiry in milliseconds since 1970, including the clock tolerance. */
  readonly expiresAt: number;
  readonly claims: Readonly<Record<string, unknown>>;
}

const MAX_TOKEN_LENGTH = 16 * 1024;
/** RFC 7515 7.1. Decoders also accept white space and padding, so one token would have many spellings. */
const COMPACT_FORM = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Creates a `verifyToken` for JSON Web Tokens of one authorization server. A token must be signed by one of the
 * server's keys with a public-key algorithm, be for this audience, and not have expired. With `roleClaim` it needs
 * exactly one role: a caller without a role might see everything.
 *
 * Rejects with a `GatewayError` `keys-unavailable` while the keys cannot be fetched; callers then get 503.
 *
 * @throws {TypeError} naming the option that is unknown or out of bounds.
 */
export function createJwtVerifier(
  options: JwtVerifierOptions & { readonly roleClaim: string },
): (token: string) => Promise<(JwtCaller & { readonly role: string }) | TokenRefusal | undefined>;
export function createJwtVerifier(
  options: JwtVerifierOptions,
): (token: string) => Promise<JwtCaller | TokenRefusal | undefined>;
export function createJwtVerifier(
  options: JwtVerifierOptions,
): (token: string) => Promise<JwtCaller | TokenRefusal | undefined> {
  const policy = resolveJwt(options);
  const keys = keySource(policy);
  return async (token) => {
    if (token.length > MAX_TOKEN_LENGTH || !COMPACT_FORM.test(token)) return undefined;
    const claims = await verifiedClaims(token, keys, policy);
    return claims && callerOf(claims, policy);
  };
}

async function verifiedClaims(
  token: string,
  keys: JWTVerifyGetKey,
  policy: JwtPolicy,
): Promise<JWTPayload | undefined> {
  const options: JWTVerifyOptions = {
    issuer: policy.issuer,
    audience: [...policy.audiences],
    algorithms: [...policy.algorithms],
    clockTolerance: policy.clockToleranceSeconds,
    requiredClaims: ['exp'],
  };
  try {
    return claimsOf(await jwtVerify(token, keys, options));
  } catch (error) {
    if (error instanceof tokenErrors.JWKSMultipleMatchingKeys) return anyKey(token, error, options);
    if (isGatewayError(error)) throw error;
    return undefined;
  }
}

/** RFC 8725 3.11: tokens of other types (logout token, proof) may have a valid signature, too. */
const TOKEN_TYPES: ReadonlySet<string> = new Set(['jwt', 'application/jwt', 'at+jwt', 'application/at+jwt']);

function claimsOf({ payload, protectedHeader }: JWTVerifyResult): JWTPayload | undefined {
  const { typ } = protectedHeader;
  return typ === undefined || (typeof typ === 'string' && TOKEN_TYPES.has(typ.toLowerCase())) ? payload : undefined;
}

/** For a token without a key id. */
async function anyKey(
  token: string,
  keys: tokenErrors.JWKSMultipleMatchingKeys,
  options: JWTVerifyOptions,
): Promise<JWTPayload | undefined> {
  for await (const key of keys) {
    try {
      return claimsOf(await jwtVerify(token, key, options));
    } catch {
      // Another key may verify it.
    }
  }
  return undefined;
}

function callerOf(claims: JWTPayload, policy: JwtPolicy): JwtCaller | TokenRefusal | undefined {
  const { idClaim, roleClaim, requiredScopes } = policy;
  const id = claims[idClaim];
  if (!isName(id)) return undefined;
  const role = roleClaim === undefined ? undefined : singleText(claims[roleClaim]);
  if (roleClaim !== undefined && role === undefined) return undefined;
  const scopes = scopesOf(claims);
  if (!requiredScopes.every((scope) => scopes.includes(scope))) {
    return { refused: 'insufficient-scope', requiredScopes };
  }
  const expiresAt = (Number(claims.exp) + policy.clockToleranceSeconds) * 1_000;
  if (!(expiresAt <= MAX_TIME)) return undefined;
  return { id, ...(role !== undefined && { role }), scopes, expiresAt, claims };
}

/** Some authorization servers put a single role into a list. */
function singleText(value: unknown): string | undefined {
  const [text, ...others] = [value].flat();
  return isName(text) && others.length === 0 ? text : undefined;
}

const MAX_TIME = 8.64e15;

/** Ids and roles are displayed and logged: none may end a line, move a cursor or reorder text. */
function isName(value: unknown): value is string {
  return (
    typeof value === 'string' && value !== '' && !/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/u.test(value)
  );
}

function scopesOf(claims: unknown): readonly string[] {
  const given = isRecord(claims) ? (claims.scope ?? claims.scp) : undefined;
  const listed = typeof given === 'string' ? given.split(' ') : [given].flat();
  return listed.filter((scope): scope is string => typeof scope === 'string' && scope !== '');
}
