import { isRecord } from '@x/internal/json';
import type { JSONWebKeySet, JWK } from 'jose';
import { isHttpsOrLoopback } from '../loopback.js';

/** A JSON Web Key Set: public keys alone. */
export interface PublicKeys {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

/** Which tokens are believed, and what is read from them. */
export interface JwtVerifierOptions {
  /** The authorization server, exactly as its tokens name it in `iss`. */
  readonly issuer: string;
  /** This server, exactly as tokens for it name it in `aud`; usually its URL. One of several is enough. */
  readonly audience: string | readonly string[];
  /** Where the public keys of the authorization server are. `https:`, or `http:` on the loopback. This or `jwks`. */
  readonly jwksUrl?: string | URL | undefined;
  /** The public keys themselves. */
  readonly jwks?: PublicKeys | undefined;
  /** How tokens may be signed. Default: `RS…`, `PS…` and `ES…` of 256 to 512 bits, and `EdDSA`; never a shared secret. */
  readonly algorithms?: readonly string[] | undefined;
  /** How far the clocks of the two sides may differ, in seconds, at most 300. Default 5. */
  readonly clockToleranceSeconds?: number | undefined;
  /** The claim that says who it is. Default `sub`. */
  readonly idClaim?: string | undefined;
  /** The claim that names the role: a text, or a list of one. Default: callers have no role. */
  readonly roleClaim?: string | undefined;
  /** Scopes that a token must have, or it is answered with 403 and their names. Default: none. */
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
/** What a JSON Web Key has of its private or shared part. */
const SECRET_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

export function resolveJwt({
  issuer,
  audience,
  jwksUrl,
  jwks,
  algorithms = ALGORITHMS,
  clockToleranceSeconds = 5,
  idClaim = 'sub',
  roleClaim,
  requiredScopes = [],
}: JwtVerifierOptions): JwtPolicy {
  if ((jwksUrl === undefined) === (jwks === undefined)) throw new TypeError('One of jwksUrl and jwks must be given');
  if (!(clockToleranceSeconds >= 0 && clockToleranceSeconds <= MAX_TOLERANCE_SECONDS)) {
    throw new TypeError(
      `clockToleranceSeconds must be 0 to ${MAX_TOLERANCE_SECONDS} seconds, got ${clockToleranceSeconds}`,
    );
  }
  for (const algorithm of checkTexts('algorithms', algorithms)) {
    if (!ALGORITHMS.includes(algorithm)) {
      throw new TypeError(`algorithms must be of ${ALGORITHMS.join(', ')}, got ${JSON.stringify(algorithm)}`);
    }
  }
  return {
    issuer: checkText('issuer', issuer),
    audiences: checkTexts('audience', [audience].flat()),
    keys: jwks === undefined ? checkUrl(jwksUrl) : checkKeys(jwks),
    algorithms,
    clockToleranceSeconds,
    idClaim: checkText('idClaim', idClaim),
    roleClaim: roleClaim === undefined ? undefined : checkText('roleClaim', roleClaim),
    requiredScopes: requiredScopes.length === 0 ? [] : checkTexts('requiredScopes', requiredScopes),
  };
}

function checkText(option: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new TypeError(`${option} must be a text that is not empty, got ${JSON.stringify(value)}`);
}

function checkTexts(option: string, values: readonly unknown[]): readonly string[] {
  if (Array.isArray(values) && values.length > 0) return values.map((value) => checkText(option, value));
  throw new TypeError(`${option} must be a list of at least one text`);
}

function checkUrl(given: unknown): URL {
  const text = String(given);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && isHttpsOrLoopback(url)) return url;
  throw new TypeError(`jwksUrl must be an https: URL, or an http: one of the loopback, got ${JSON.stringify(text)}`);
}

function checkKeys(jwks: PublicKeys): JSONWebKeySet {
  if (!isRecord(jwks) || !Array.isArray(jwks.keys) || !jwks.keys.every(isRecord)) {
    throw new TypeError('jwks must be a JSON Web Key Set, { keys: [...] }');
  }
  const index = jwks.keys.findIndex((key) => key.kty === 'oct' || SECRET_MEMBERS.some((member) => member in key));
  if (index !== -1) throw new TypeError(`jwks.keys[${index}] must be a public key; it has a private or shared part`);
  return { keys: jwks.keys as unknown as JWK[] };
}
