/** A valid token without the required scopes: its owner may get another one with these. Becomes a 403. */
export interface TokenRefusal {
  readonly refused: 'insufficient-scope';
  readonly requiredScopes: readonly string[];
}

export function isTokenRefusal(value: object): value is TokenRefusal {
  return (value as { readonly refused?: unknown }).refused === 'insufficient-scope';
}
