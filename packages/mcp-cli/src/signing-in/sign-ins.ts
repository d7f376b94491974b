import { join } from 'node:path';
import { type ClientManagerOptions, createFileTokenStore, createOAuthProvider } from '@x/mcp-client-manager';
import type { Io } from '../io.js';

export interface SignInOptions {
  /** Default: no page is ever shown, as befits everything but `mcpx login`. */
  readonly openUrl?: ((url: URL) => void | Promise<void>) | undefined;
  /** Port on 127.0.0.1 that the browser comes back to. Default: any that is free. */
  readonly redirectPort?: number | undefined;
  /** Longest time for the user, in milliseconds. Default 300 000. */
  readonly timeoutMs?: number | undefined;
}

/** Where the sign-ins of a user are kept: one file for all configs. */
export function signInsFile(stateDirectory: string): string {
  return join(stateDirectory, 'sign-ins.json');
}

/**
 * How servers get the tokens that `mcpx login` has put away. A server whose config names another provider than `oauth` is
 * not signed in to: nobody here knows that provider.
 *
 * @returns `undefined` for a user without a state directory.
 */
export function signIns(
  { stateDirectory }: Pick<Io, 'stateDirectory'>,
  { openUrl = refuse, redirectPort, timeoutMs }: SignInOptions = {},
): ClientManagerOptions['auth'] {
  if (stateDirectory === undefined) return undefined;
  const store = createFileTokenStore(signInsFile(stateDirectory));
  const oauth = createOAuthProvider({ store, openUrl, redirectPort, timeoutMs, clientName: 'mcpx' });
  return (server) => (server.provider === undefined || server.provider === 'oauth' ? oauth(server) : undefined);
}

/** Takes the sign-in to a server away, with the registration that it was made with. @returns Whether there was one. */
export async function forgetSignIn(stateDirectory: string, url: string): Promise<boolean> {
  const store = createFileTokenStore(signInsFile(stateDirectory));
  const { origin, pathname } = new URL(url);
  const keys = ['tokens', 'client'].map((kind) => `${origin}${pathname}#${kind}`);
  const found = await Promise.all(keys.map((key) => store.read(key)));
  for (const [index, key] of keys.entries()) if (found[index] !== undefined) await store.remove(key);
  return found[0] !== undefined;
}

function refuse(): never {
  throw new Error('Run "mcpx login" to sign in');
}
