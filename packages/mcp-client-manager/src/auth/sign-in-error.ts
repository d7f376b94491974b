/** Failure of a sign-in. The message contains no text of a server. */
export class SignInError extends Error {
  override readonly name: string = 'SignInError';
}

export class SignInNeededError extends SignInError {
  override readonly name = 'SignInNeededError';

  constructor() {
    super('the user must sign in');
  }
}

/** One clause without free text of servers, which may repeat a code or a token. */
export function describeSignInFailure(error: unknown): string | undefined {
  if (error instanceof SignInError) return error.message;
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown };
  if (typeof code !== 'string') return undefined;
  if (code === 'EADDRINUSE') return "the port for the browser's return is in use";
  if (typeof syscall === 'string') return `the system reported ${code}`;
  return /^[a-z_]{1,40}$/.test(code) ? `the authorization server answered "${code}"` : undefined;
}
