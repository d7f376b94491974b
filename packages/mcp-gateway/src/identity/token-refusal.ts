/** Returned for a valid token without the required scopes. The client gets 403. */
export interface TokenRefusal {
  readonly refused: 'insufficient-scope';
  readonly requiredScopes: readonly string[];
}

export function isTokenRefusal(value: object): value is TokenRefusal {
  return (value as { readonly refused?: unknown }).refused === 'insufficient-scope';
}
