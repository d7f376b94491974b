import { isRecord } from '@x/internal/json';
import { optionTable } from '@x/internal/options';
import type { JSONWebKeySet, JWK } from 'jose';
import { isHttpsOrLoopback } from '../loopback.js';

/** A JSON Web Key Set: public keys only. */
export interface PublicKeys {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

/** Options of a JWT verifier: accepted tokens and their claims. */
export interface JwtVerifierOptions {
  /** The authorization server, exactly as in `iss` of its tokens. */
  readonly issuer: string;
  /** This server, exactly as in `aud` of its tokens; usually its URL. Of several audiences, a token needs one. */
  readonly audience: string | readonly string[];
  /** Address of the authorization server's public keys: `https:`, or `http:` on the loopback. Excludes `jwks`. */
  readonly jwksUrl?: string | URL | undefined;
  /** The public keys. Excludes `jwksUrl`. */
  readonly jwks?: PublicKeys | undefined;
  /** Accepted signature algorithms. Default: `RS…`, `PS…` and `ES…` of 256 to 512 bits, and `EdDSA`. */
  readonly algorithms?: readonly string[] | undefined;
  /** Tolerated clock difference, in seconds, at most 300. Default 5. */
  readonly clockToleranceSeconds?: number | undefined;
  /** Claim with the caller's id. Default `sub`. */
  readonly idClaim?: string | undefined;
  /** Claim with the role: a string, or a list of one. Default: callers have no role. */
  readonly roleClaim?: string | undefined;
  /** Required scopes; a token without them gets 403. Default: none. */
  readonly requiredScopes?: readonly string[] | undefined;
}

export interface JwtPolicy {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly keys: URL | JSONWebKeySet;
  readonly algorithms: readonly string[];
  readonly clockToleranceSeconds: number;
  readonly idClaim: string;
  readonly roleClaim: string | undefined;
  readonly requiredScopes: readonly string[];
}

const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'],
  ...['EdDSA', 'Ed25519'],
];
const MAX_TOLERANCE_SECONDS = 300;
/** Private and shared parts of a JSON Web Key. */
const SECRET_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

const texts = { kind: 'other', check: textsFault } as const;
const jwtOptions = optionTable<JwtVerifierOptions>()({
  issuer: { kind: 'text', required: true },
  audience: { kind: 'other', required: true, check: (given) => textsFault([given].flat()) },
  jwksUrl: { kind: 'other', check: urlFault },
  jwks: { kind: 'other', check: keysFault },
  algorithms: { ...texts, default: ALGORITHMS },
  // Fractions are allowed.
  clockToleranceSeconds: { kind: 'other', default: 5, check: toleranceFault },
  idClaim: { kind: 'text', default: 'sub' },
  roleClaim: { kind: 'text' },
  requiredScopes: { kind: 'other', default: [], check: (given) => (isEmpty(given) ? undefined : textsFault(given)) },
});

export function resolveJwt(given: JwtVerifierOptions): JwtPolicy {
  const { audience, jwksUrl, jwks, ...policy } = jwtOptions.read(given);
  if ((jwksUrl === undefined) === (jwks === undefined)) throw new TypeError('One of jwksUrl and jwks must be given');
  const unknown = policy.algorithms.find((algorithm) => !ALGORITHMS.includes(algorithm));
  if (unknown !== undefined) {
    throw new TypeError(`algorithms must be among ${ALGORITHMS.join(', ')}, got ${JSON.stringify(unknown)}`);
  }
  const keys = jwks === undefined ? new URL(String(jwksUrl)) : publicKeys(jwks);
  return { ...policy, audiences: [audience].flat(), keys };
}

function textsFault(values: unknown): string | undefined {
  const isList = Array.isArray(values) && values.length > 0;
  return isList && values.every((value) => typeof value === 'string' && value !== '')
    ? undefined
    : 'a list of at least one text, none of them empty';
}

function isEmpty(values: unknown): boolean {
  return Array.isArray(values) && values.length === 0;
}

function toleranceFault(seconds: unknown): string | undefined {
  const isInRange = typeof seconds === 'number' && seconds >= 0 && seconds <= MAX_TOLERANCE_SECONDS;
  return isInRange ? undefined : `0 to ${MAX_TOLERANCE_SECONDS} seconds, got ${seconds}`;
}

function urlFault(given: unknown): string | undefined {
  const text = String(given);
  if (URL.canParse(text) && isHttpsOrLoopback(new URL(text))) return undefined;
  return `an https: URL, or an http: one of the loopback, got ${JSON.stringify(text)}`;
}

function keysFault(jwks: unknown): string | undefined {
  const isKeySet = isRecord(jwks) && Array.isArray(jwks.keys) && jwks.keys.every(isRecord);
  return isKeySet ? undefined : 'a JSON Web Key Set, { keys: [...] }';
}

function publicKeys({ keys }: PublicKeys): JSONWebKeySet {
  const index = keys.findIndex((key) => key.kty === 'oct' || SECRET_MEMBERS.some((member) => member in key));
  if (index !== -1) throw new TypeError(`jwks.keys[${index}] must be a public key; it has a private or shared part`);
  return { keys: keys as unknown as JWK[] };
}
