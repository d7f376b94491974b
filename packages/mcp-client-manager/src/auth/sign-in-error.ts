/** Why a sign-in did not succeed, in our own words: nothing of it comes from a server. */
export class SignInError extends Error {
  override readonly name: string = 'SignInError';
}

/** Nothing can be done without asking the user. */
export class SignInNeededError extends SignInError {
  override readonly name = 'SignInNeededError';

  constructor() {
    super('the user has to sign in');
  }
}

/**
 * Why a sign-in failed, as one clause. The words are our own, the system's or from a closed list: what servers write may
 * repeat a code or a token.
 */
export function describeSignInFailure(error: unknown): string | undefined {
  if (error instanceof SignInError) return error.message;
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown };
  if (typeof code !== 'string') return undefined;
  if (code === 'EADDRINUSE') return 'the port that the browser comes back to is in use';
  if (typeof syscall === 'string') return `the system said ${code}`;
  return /^[a-z_]{1,40}$/.test(code) ? `the authorization server answered "${code}"` : undefined;
}
