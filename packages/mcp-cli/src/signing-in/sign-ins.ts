import { type ClientManagerOptions, createFileTokenStore, createOAuthProvider } from '@x/mcp-client-manager';
import type { Io } from '../io.js';
import { entriesOf, SignInStore, signInsFile } from './sign-in-store.js';

export interface SignInOptions {
  /** Default: no page is ever shown, as befits everything but `mcpx login`. */
  readonly openUrl?: ((url: URL) => void | Promise<void>) | undefined;
  /** Port on 127.0.0.1 that the browser comes back to. Default: any that is free. */
  readonly redirectPort?: number | undefined;
  /** Longest time for the user, in milliseconds. Default 300 000. */
  readonly timeoutMs?: number | undefined;
}

/**
 * How servers get the tokens that `mcpx login` has put away. A server whose config names another provider than `oauth` is
 * not signed in to: nobody here knows that provider.
 *
 * @returns `undefined` for a user without a state directory.
 * @throws {UsageError} `MCPX_SIGN_INS` says something that nobody knows.
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
    // What is wrong with the place is told here: later on it would pass for a fault of a server.
    await (openUrl ? store.prepare(server.url) : store.read(entriesOf(server.url).tokens));
    return oauth(server);
  };
}

/** Takes the sign-in to a server away, with the registration that it was made with. @returns Whether there was one. */
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
