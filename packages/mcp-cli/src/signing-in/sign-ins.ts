import { join } from 'node:path';
import type { ClientManagerOptions } from '@x/mcp-client-manager';
import { createFileTokenStore, createOAuthProvider, type TokenStore } from '@x/mcp-client-manager/auth';
import { type Io, UsageError } from '../command.js';
import type { KeyStore } from './key-store.js';
import { isSealed, newSealingKey, seal, unseal } from './sealed-text.js';

interface SignInOptions {
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

const keyName = 'sign-ins';
/** Variable that selects how new sign-ins are stored. */
const choiceVariable = 'MCPX_SIGN_INS';

/** The file with a user's sign-ins, for all configs. */
export function signInsFile(stateDirectory: string): string {
  return join(stateDirectory, 'sign-ins.json');
}

export function entriesOf(url: string): { readonly tokens: string; readonly client: string } {
  const { origin, pathname } = new URL(url);
  return { tokens: `${origin}${pathname}#tokens`, client: `${origin}${pathname}#client` };
}

/**
 * Stores sign-ins in a file, sealed with a key from the system's key store. With `MCPX_SIGN_INS=file` they are stored
 * in plain text; a plain entry stays plain until it is removed.
 */
export class SignInStore implements TokenStore {
  readonly #file: Required<TokenStore>;
  readonly #keyStore: Io['keyStore'];
  readonly #isPlainChosen: boolean;
  #key: Promise<Buffer | undefined> | undefined;

  /** @throws {UsageError} `MCPX_SIGN_INS` is neither `keychain` nor `file`. */
  constructor(stateDirectory: string, { env, keyStore }: Pick<Io, 'env' | 'keyStore'>) {
    const choice = env[choiceVariable] || 'keychain';
    if (choice !== 'keychain' && choice !== 'file') {
      throw new UsageError(`${choiceVariable} must be "keychain" or "file", not "${choice}".`);
    }
    this.#file = createFileTokenStore(signInsFile(stateDirectory)) as Required<TokenStore>;
    this.#keyStore = keyStore;
    this.#isPlainChosen = choice === 'file';
  }

  /** Entries that the current key cannot unseal count as missing: the user signs in again. */
  async read(entry: string): Promise<string | undefined> {
    const text = await this.#file.read(entry);
    if (text === undefined || !isSealed(text)) return text;
    const key = await this.#currentKey();
    return key && unseal(text, { key, location: entry });
  }

  async write(entry: string, text: string): Promise<void> {
    if (await this.#keepsPlain(entry)) return this.#file.write(entry, text);
    return this.#file.write(entry, seal(text, { key: await this.#sealingKey(), location: entry }));
  }

  remove(entry: string): Promise<void> {
    return this.#file.remove(entry);
  }

  hold(entry: string): Promise<() => Promise<void>> {
    return this.#file.hold(entry);
  }

  /** Rejects with a readable reason if a sign-in cannot be stored. */
  async prepare(url: string): Promise<void> {
    if (!(await this.#keepsPlain(entriesOf(url).client))) await this.#sealingKey();
  }

  async #keepsPlain(entry: string): Promise<boolean> {
    if (this.#isPlainChosen) return true;
    const existing = await this.#file.read(entry);
    return existing !== undefined && !isSealed(existing);
  }

  #currentKey(): Promise<Buffer | undefined> {
    this.#key ??= this.#readKey();
    this.#key.catch(() => {
      this.#key = undefined; // it may be unlocked the next time
    });
    return this.#key;
  }

  /** Creates the first key under a lock, so that concurrent processes share one. */
  async #sealingKey(): Promise<Buffer> {
    const existing = await this.#currentKey();
    if (existing) return existing;
    const release = await this.#file.hold(`#${keyName}`);
    try {
      const created = (await this.#readKey()) ?? newSealingKey();
      await this.#useKeyStore((keyStore) => keyStore.write(keyName, created.toString('base64url')));
      this.#key = Promise.resolve(created);
      return created;
    } finally {
      await release();
    }
  }

  async #readKey(): Promise<Buffer | undefined> {
    const text = await this.#useKeyStore((keyStore) => keyStore.read(keyName));
    const key = Buffer.from(text ?? '', 'base64url');
    return key.length === 32 ? key : undefined; // missing, or of another program
  }

  async #useKeyStore<Result>(work: (keyStore: KeyStore) => Promise<Result>): Promise<Result> {
    try {
      if (!this.#keyStore) throw new Error('there is none');
      return await work(await this.#keyStore());
    } catch (error) {
      const why = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
      throw new Error(
        `the system's key store, which has the key to sign-ins, is unavailable (${why}). To store sign-ins in a file that only you can read, set ${choiceVariable}=file and sign in again`,
        { cause: error },
      );
    }
  }
}
