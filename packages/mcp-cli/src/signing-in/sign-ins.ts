import { type ClientManagerOptions, createFileTokenStore, createOAuthProvider } from '@x/mcp-client-manager';
import type { Io } from '../io.js';
import { entriesOf, SignInStore, signInsFile } from './sign-in-store.js';

export interface SignInOptions {
  /** Default: no page opens; only `mcpx login` opens one. */
  readonly openUrl?: ((url: URL) => void | Promise<void>) | undefined;
  /** Redirect port on 127.0.0.1. Default: any free port. */
  readonly redirectPort?: number | undefined;
  /** Time limit for the user, in milliseconds. Default 300 000. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Auth provider with the tokens of `mcpx login`. Does not handle servers with another provider than `oauth`.
 *
 * @returns `undefined` for a user without a state directory.
 * @throws {UsageError} `MCPX_SIGN_INS` has an unknown value.
 */
export function signIns(
  { stateDirectory, env, keyStore }: Pick<Io, 'stateDirectory' | 'env' | 'keyStore'>,
  { openUrl, redirectPort, timeoutMs }: SignInOptions = {},
): ClientManagerOptions['auth'] {
  if (stateDirectory === undefined) return undefined;
  const store = new SignInStore(stateDirectory, { env, keyStore });
  const oauth = createOAuthProvider({ store, openUrl: openUrl ?? refuse, redirectPort, timeoutMs, clientName: 'mcpx' });
  return async (server) => {
    if (server.provider !== undefined && server.provider !== 'oauth') return undefined;
    // Checks the store here, so that its error is not attributed to a server later.
    await (openUrl ? store.prepare(server.url) : store.read(entriesOf(server.url).tokens));
    return oauth(server);
  };
}

/** Deletes the sign-in to a server and its client registration. @returns False if there was none. */
export async function forgetSignIn(stateDirectory: string, url: string): Promise<boolean> {
  const store = createFileTokenStore(signInsFile(stateDirectory));
  const { tokens, client } = entriesOf(url);
  const wasSignedIn = (await store.read(tokens)) !== undefined;
  for (const entry of [tokens, client]) if ((await store.read(entry)) !== undefined) await store.remove(entry);
  return wasSignedIn;
}

function refuse(): never {
  throw new Error('Run "mcpx login" to sign in');
}
