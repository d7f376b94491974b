import { unlessAborted } from '@x/internal/async';
import { messageOf } from '@x/internal/errors';
import type { Redact } from '../redaction.js';
import type { AuthPlug, AuthTarget } from '../session/auth-plug.js';
import type { HttpServerSpec } from '../spec.js';
import type { AuthSource } from './auth-source.js';

export interface AskingOptions {
  /** The plug may never answer. */
  readonly signal: AbortSignal;
  /** Goes over what the plug says when it fails. */
  readonly redact: Redact;
}

/** Asks the host app how to sign in. Rejects with a reason for people, or with the signal's reason when that aborts. */
export async function askAuthPlug(
  plug: AuthPlug | undefined,
  target: AuthTarget,
  { signal, redact }: AskingOptions,
): Promise<AuthSource | undefined> {
  if (!plug) return undefined;
  signal.throwIfAborted();
  try {
    // In a function of its own, so that a plug which throws is no different from one that rejects.
    return await unlessAborted((async () => plug(target))(), signal);
  } catch (error) {
    signal.throwIfAborted();
    const why = redact(messageOf(error));
    throw new Error(
      `Server "${target.name}" cannot be signed in to: the client manager's "auth" failed for it: ${why}`,
    );
  }
}

/** Who wants to be signed in, as its spec says. */
export function authTarget(name: string, { url, auth }: Pick<HttpServerSpec, 'url' | 'auth'>): AuthTarget {
  return { name, url, provider: auth?.provider, scopes: auth?.scopes ?? [] };
}
