import type { AuthSource } from '../auth/auth-source.js';

/**
 * Gives the sign-in for one HTTP server, or `undefined` when it needs none. Asked whenever a connection to the server is
 * opened. It may have to look somewhere first; that counts to the server's startup timeout.
 */
export type AuthPlug = (server: AuthTarget) => AuthSource | undefined | Promise<AuthSource | undefined>;

/** Who wants to be signed in. */
export interface AuthTarget {
  /** The server's name. */
  readonly name: string;
  readonly url: string;
  /** `auth.provider` of the server's spec. */
  readonly provider: string | undefined;
  /** `auth.scopes` of the server's spec. Empty: whatever the server asks for. */
  readonly scopes: readonly string[];
}
