import { join } from 'node:path';
import { createFileTokenStore, type TokenStore } from '@x/mcp-client-manager';
import { UsageError } from '../exit-codes.js';
import type { Io } from '../io.js';
import type { KeyStore } from './key-store.js';
import { isSealed, newSealingKey, seal, unseal } from './sealed-text.js';

/** Name of the key in the system's key store. */
const keyName = 'sign-ins';
/** Says how sign-ins are kept that are new. */
const choiceVariable = 'MCPX_SIGN_INS';

/** Where the sign-ins of a user are kept: one file for all configs. */
export function signInsFile(stateDirectory: string): string {
  return join(stateDirectory, 'sign-ins.json');
}

/** Names under which the sign-in to a server is kept. */
export function entriesOf(url: string): { readonly tokens: string; readonly client: string } {
  const { origin, pathname } = new URL(url);
  return { tokens: `${origin}${pathname}#tokens`, client: `${origin}${pathname}#client` };
}

/**
 * Keeps sign-ins in a file, sealed with a key that is in the system's key store. They are kept as they are only if
 * `MCPX_SIGN_INS` says `file`; what was once kept so stays so until it is removed.
 */
export class SignInStore implements TokenStore {
  readonly #file: Required<TokenStore>;
  readonly #keyStore: Io['keyStore'];
  readonly #isPlainChosen: boolean;
  #key: Promise<Buffer | undefined> | undefined;

  /** @throws {UsageError} `MCPX_SIGN_INS` says something else than `keychain` or `file`. */
  constructor(stateDirectory: string, { env, keyStore }: Pick<Io, 'env' | 'keyStore'>) {
    const choice = env[choiceVariable] || 'keychain';
    if (choice !== 'keychain' && choice !== 'file') {
      throw new UsageError(`${choiceVariable} must be "keychain" or "file", not "${choice}".`);
    }
    this.#file = createFileTokenStore(signInsFile(stateDirectory)) as Required<TokenStore>;
    this.#keyStore = keyStore;
    this.#isPlainChosen = choice === 'file';
  }

  /** What cannot be opened with the key that there is counts as nothing: the user signs in again. */
  async read(entry: string): Promise<string | undefined> {
    const text = await this.#file.read(entry);
    if (text === undefined || !isSealed(text)) return text;
    const key = await this.#presentKey();
    return key && unseal(text, { key, place: entry });
  }

  async write(entry: string, text: string): Promise<void> {
    if (await this.#keepsPlain(entry)) return this.#file.write(entry, text);
    return this.#file.write(entry, seal(text, { key: await this.#keyToSealWith(), place: entry }));
  }

  remove(entry: string): Promise<void> {
    return this.#file.remove(entry);
  }

  hold(entry: string): Promise<() => Promise<void>> {
    return this.#file.hold(entry);
  }

  /** Makes sure that a sign-in can be kept, before anybody is asked to sign in. Rejects with a reason for people. */
  async prepare(url: string): Promise<void> {
    if (!(await this.#keepsPlain(entriesOf(url).client))) await this.#keyToSealWith();
  }

  async #keepsPlain(entry: string): Promise<boolean> {
    if (this.#isPlainChosen) return true;
    const present = await this.#file.read(entry);
    return present !== undefined && !isSealed(present);
  }

  #presentKey(): Promise<Buffer | undefined> {
    this.#key ??= this.#readKey();
    this.#key.catch(() => {
      this.#key = undefined; // it may be unlocked the next time
    });
    return this.#key;
  }

  /** Of several processes that need the first key at the same time one makes it. */
  async #keyToSealWith(): Promise<Buffer> {
    const present = await this.#presentKey();
    if (present) return present;
    const release = await this.#file.hold(`#${keyName}`);
    try {
      const made = (await this.#readKey()) ?? newSealingKey();
      await this.#ask((keyStore) => keyStore.write(keyName, made.toString('base64url')));
      this.#key = Promise.resolve(made);
      return made;
    } finally {
      await release();
    }
  }

  async #readKey(): Promise<Buffer | undefined> {
    const text = await this.#ask((keyStore) => keyStore.read(keyName));
    const key = Buffer.from(text ?? '', 'base64url');
    return key.length === 32 ? key : undefined; // another program's, or none
  }

  async #ask<Answer>(question: (keyStore: KeyStore) => Promise<Answer>): Promise<Answer> {
    try {
      if (!this.#keyStore) throw new Error('there is none');
      return await question(await this.#keyStore());
    } catch (error) {
      const why = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
      throw new Error(
        `the key that sign-ins are sealed with is in the system's key store, which cannot be used (${why}). To keep sign-ins in a file that only you can read, set ${choiceVariable}=file and sign in again`,
        { cause: error },
      );
    }
  }
}
