import { unlessAborted } from '@x/internal/async';
import { messageOf } from '@x/internal/errors';
import type { Redact } from '../redaction.js';
import type { HttpServerSpec } from '../spec.js';
import type { AuthSource } from './auth-source.js';

/**
 * Returns the auth source for one HTTP server, or `undefined` if the server needs none. Called for each new connection.
 * Its time counts towards the server's startup timeout.
 */
export type AuthPlug = (server: AuthTarget) => AuthSource | undefined | Promise<AuthSource | undefined>;

/** The server that needs a sign-in. */
export interface AuthTarget {
  readonly name: string;
  readonly url: string;
  /** `auth.provider` of the server's spec. */
  readonly provider: string | undefined;
  /** `auth.scopes` of the server's spec. Empty: the scopes that the server requests. */
  readonly scopes: readonly string[];
}

interface AuthRequestOptions {
  readonly signal: AbortSignal;
  readonly redact: Redact;
}

/** Rejects with a message for people, or with the signal's reason. */
export async function requestAuthSource(
  plug: AuthPlug | undefined,
  target: AuthTarget,
  { signal, redact }: AuthRequestOptions,
): Promise<AuthSource | undefined> {
  if (!plug) return undefined;
  signal.throwIfAborted();
  try {
    // Async, so that a synchronous throw rejects, too.
    return await unlessAborted((async () => plug(target))(), signal);
  } catch (error) {
    signal.throwIfAborted();
    const why = redact(messageOf(error));
    throw new Error(
      `Server "${target.name}" cannot be signed in to: the client manager's "auth" failed for it: ${why}`,
    );
  }
}

export function authTarget(name: string, { url, auth }: Pick<HttpServerSpec, 'url' | 'auth'>): AuthTarget {
  return { name, url, provider: auth?.provider, scopes: auth?.scopes ?? [] };
}

/** Storage key of a sign-in: the URL without its query, which may contain secrets. */
export function resourceOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
