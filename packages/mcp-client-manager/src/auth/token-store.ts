import { mkdir, readFile } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { sequence } from '@x/internal/async';
import { type HeldFile, hexDigest, holdFile, replaceFile } from '@x/internal/files';
import { SignInError } from './sign-in-error.js';

/** Storage of sign-ins. Values are secrets. */
export interface TokenStore {
  /** @returns `undefined` if there is no entry. */
  read(key: string): Promise<string | undefined>;
  /** Stores or replaces an entry. */
  write(key: string, value: string): Promise<void>;
  /** Removes an entry, if there is one. */
  remove(key: string): Promise<void>;
  /**
   * Locks `key` across processes and resolves to its release. Used for renewals, since a refresh token may be valid
   * only once. Optional if only one process uses the store.
   */
  hold?(key: string): Promise<() => Promise<void>>;
}

/** Longest waits for other processes' locks. */
const changeWaitMs = 5_000;
const renewalWaitMs = 30_000;

/**
 * Stores sign-ins in one file that only its owner can read (mode 0600; missing directories get 0700). Processes may
 * share it: each change takes a lock and replaces the whole file.
 *
 * @param path - An absolute path. The first sign-in creates the file.
 */
export function createFileTokenStore(path: string): TokenStore {
  if (!isAbsolute(path)) throw new TypeError(`path must be an absolute path, got ${JSON.stringify(path)}`);
  return new FileTokenStore(path);
}

class FileTokenStore implements TokenStore {
  readonly #path: string;
  /** Orders changes within the process; the lock is for other processes. */
  readonly #inSequence = sequence();

  constructor(path: string) {
    this.#path = path;
  }

  async read(key: string): Promise<string | undefined> {
    return (await this.#entries()).get(key);
  }

  write(key: string, value: string): Promise<void> {
    return this.#change((entries) => void entries.set(key, value));
  }

  remove(key: string): Promise<void> {
    return this.#change((entries) => void entries.delete(key));
  }

  async hold(key: string): Promise<() => Promise<void>> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const digest = hexDigest(key, 16);
    const lock = await requireLock(`${this.#path}.${digest}.lock`, renewalWaitMs);
    return () => lock.release();
  }

  #change(change: (entries: Map<string, string>) => void): Promise<void> {
    return this.#inSequence(() => this.#changeUnderLock(change));
  }

  async #changeUnderLock(change: (entries: Map<string, string>) => void): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const lock = await requireLock(`${this.#path}.lock`, changeWaitMs);
    try {
      const entries = await this.#entries();
      change(entries);
      if (!(await lock.isHeld()))
        throw new SignInError(
          `${this.#path} was not written, since this process was suspended for too long. Try again`,
        );
      await replaceFile(this.#path, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
    } finally {
      await lock.release();
    }
  }

  async #entries(): Promise<Map<string, string>> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{}';
      throw error;
    });
    return new Map(Object.entries(parseEntries(text, this.#path)));
  }
}

async function requireLock(path: string, waitMs: number): Promise<HeldFile> {
  const lock = await holdFile(path, { waitMs });
  if (lock === undefined) throw new SignInError(`another process has locked ${path}`);
  return lock;
}

/** Does not quote other files: they may contain secrets. */
function parseEntries(text: string, path: string): Record<string, string> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new SignInError(`${path} is not a sign-in file: it is not JSON. Move it away to start a new one`);
  }
  if (!isStringRecord(value)) {
    throw new SignInError(
      `${path} is not a sign-in file: it must be a JSON object of strings. Move it away to start a new one`,
    );
  }
  return value;
}

function isStringRecord(value: unknown): value is Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((entry) => typeof entry === 'string');
}
