/** A token that is good, but not for this: its owner may get another one with these scopes. Answered with 403. */
export interface TokenRefusal {
  readonly refused: 'insufficient-scope';
  readonly requiredScopes: readonly string[];
}

export function isTokenRefusal(value: object): value is TokenRefusal {
  return (value as { readonly refused?: unknown }).refused === 'insufficient-scope';
}
