// Everything that can be imported from "@x/mcp-gateway/identity": who a token belongs to. A new line here is new public API.
export type { JwtCaller, JwtVerifierOptions, PublicKeys } from './identity/jwt-verifier.js';
export { createJwtVerifier } from './identity/jwt-verifier.js';
export type { StaticToken, TokenOwner, TokenVerifier, TokenVerifierOptions } from './identity/static-tokens.js';
export { createTokenVerifier } from './identity/static-tokens.js';
export type { TokenRefusal } from './identity/token-refusal.js';
