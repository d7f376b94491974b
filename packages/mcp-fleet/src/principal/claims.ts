import { decodeJwt, decodeProtectedHeader } from 'jose';

/** The only way in which principals are signed. */
export const PRINCIPAL_ALGORITHM = 'EdDSA';
/** Told in the header, so that no other token that the key may sign one day is taken for a principal. */
export const PRINCIPAL_TYPE = 'mcp-fleet-principal+jwt';
/** No principal is valid for longer, whatever its node says. */
export const MAX_LIFETIME_MS = 600_000;

/** What a principal says. */
export interface PrincipalClaims {
  /** The node that made it: where the call came in. */
  readonly iss: string;
  /** The one node that it is for. */
  readonly aud: string;
  /** The issuer's incarnation. */
  readonly inc: number;
  /** Seconds of Unix time by the issuer's clock. */
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
  /** Who makes the call, as far as the issuer knows. */
  readonly sub?: string | undefined;
  readonly role?: string | undefined;
}

/** What a token says that nobody has verified yet; `undefined` when it is no principal. */
export function readClaims(token: string): PrincipalClaims | undefined {
  let header: Readonly<Record<string, unknown>>;
  let claims: Readonly<Record<string, unknown>>;
  try {
    header = { ...decodeProtectedHeader(token) };
    claims = decodeJwt(token);
  } catch {
    return undefined; // no token at all
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
