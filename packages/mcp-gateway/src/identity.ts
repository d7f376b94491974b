// The public API of "@x/mcp-gateway/identity".
export type { JwtCaller, JwtVerifierOptions, PublicKeys } from './identity/jwt-verifier.js';
export { createJwtVerifier } from './identity/jwt-verifier.js';
export type {
  StaticToken,
  TokenOwner,
  TokenRefusal,
  TokenVerifier,
  TokenVerifierOptions,
} from './identity/static-tokens.js';
export { createTokenVerifier } from './identity/static-tokens.js';
