import { decodeJwt, decodeProtectedHeader } from 'jose';

export const PRINCIPAL_ALGORITHM = 'EdDSA';
/** `typ` header, which excludes other tokens signed with the same key. */
export const PRINCIPAL_TYPE = 'mcp-fleet-principal+jwt';
export const MAX_LIFETIME_MS = 600_000;

export interface PrincipalClaims {
  /** Issuer: the node that received the call from its client. */
  readonly iss: string;
  /** Audience: the only node that may accept the token. */
  readonly aud: string;
  readonly inc: number;
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
  /** User or service, if the issuer knows one. */
  readonly sub?: string | undefined;
  readonly role?: string | undefined;
}

/** Unverified claims of a token; `undefined` unless it has the form of a principal. */
export function readClaims(token: string): PrincipalClaims | undefined {
  let header: Readonly<Record<string, unknown>>;
  let claims: Readonly<Record<string, unknown>>;
  try {
    header = { ...decodeProtectedHeader(token) };
    claims = decodeJwt(token);
  } catch {
    return undefined;
  }
  if (header.alg !== PRINCIPAL_ALGORITHM || header.typ !== PRINCIPAL_TYPE) return undefined;
  return isPrincipalClaims(claims) ? claims : undefined;
}

function isPrincipalClaims(claims: object): claims is PrincipalClaims {
  const { iss, aud, inc, iat, exp, jti, sub, role }: Partial<Record<keyof PrincipalClaims, unknown>> = claims;
  return (
    [iss, aud, jti].every((text) => typeof text === 'string') &&
    [sub, role].every((text) => text === undefined || typeof text === 'string') &&
    [inc, iat, exp].every((value) => Number.isFinite(value))
  );
}
