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
import type { TokenRefusal } from './token-refusal.js';

export type { JwtVerifierOptions, PublicKeys } from './jwt-options.js';

/** Whose a JSON Web Token is. */
export interface JwtCaller {
  /** What `idClaim` says. */
  readonly id: string;
  /** What `roleClaim` says, if that was given. */
  readonly role?: string;
  /** Of `scope`, or `scp`. */
  readonly scopes: readonly string[];
  /** When the token ends, in milliseconds since 1970; what clocks may differ is in it. */
  readonly expiresAt: number;
  /** All that the token says. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Longer than any that an authorization server gives. */
const MAX_TOKEN_LENGTH = 16 * 1024;
/** RFC 7515 7.1: base64url without padding. Decoders also take white space and padding, which would give one token many texts. */
const COMPACT_FORM = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Checks JSON Web Tokens of one authorization server, for `verifyToken`: signed by a key of its own with a public-key
 * algorithm, for this audience, and not expired. Whatever is not so is nobody's token. With `roleClaim`, a token that
 * names no single role is nobody's either, since who has no role may be shown everything.
 *
 * The result rejects with a `GatewayError` `keys-unavailable` while the keys of the authorization server cannot be
 * had: nobody is let in then, and callers are answered with 503.
 *
 * @throws {TypeError} naming the option that is misspelt or out of its bounds.
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
    return undefined; // whatever else a text of anybody's making leads to
  }
}

/** RFC 8725 3.11: a token of another kind (a logout token, a proof) is no access token, though the same key has signed it. */
const TOKEN_TYPES: ReadonlySet<string> = new Set(['jwt', 'application/jwt', 'at+jwt', 'application/at+jwt']);

function claimsOf({ payload, protectedHeader }: JWTVerifyResult): JWTPayload | undefined {
  const { typ } = protectedHeader;
  return typ === undefined || (typeof typ === 'string' && TOKEN_TYPES.has(typ.toLowerCase())) ? payload : undefined;
}

/** A token that does not say which key has signed it, of an authorization server that has several. */
async function anyKey(
  token: string,
  keys: tokenErrors.JWKSMultipleMatchingKeys,
  options: JWTVerifyOptions,
): Promise<JWTPayload | undefined> {
  for await (const key of keys) {
    try {
      return claimsOf(await jwtVerify(token, key, options));
    } catch {
      // It is not this key's, or has a fault that it has with every key.
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

/** Some authorization servers put even a single role into a list. Of several, none is the one. */
function singleText(value: unknown): string | undefined {
  const [text, ...others] = [value].flat();
  return isName(text) && others.length === 0 ? text : undefined;
}

/** The last moment that a `Date` can hold, in milliseconds since 1970. */
const MAX_TIME = 8.64e15;

/** Names of callers and roles are shown and written to logs: none may end a line, move a cursor or reorder text. */
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
