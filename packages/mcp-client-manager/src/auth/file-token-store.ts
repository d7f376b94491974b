import { mkdir, readFile } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { type HeldFile, hexDigest, holdFile } from '@x/internal/files';
import { writePrivateFile } from '../write-private-file.js';
import { SignInError } from './sign-in-error.js';
import type { TokenStore } from './token-store.js';

/** Longest waits for another process, in milliseconds: for a change of the file, and for a request over the network. */
const changeWaitMs = 5_000;
const renewalWaitMs = 30_000;

/**
 * Keeps sign-ins in one file that only its owner can read (mode 0600, in a directory with 0700 when it has to be made).
 * Several processes may use it at once: each change is made under a lock, and the file is replaced as a whole.
 *
 * @param path - An absolute path. Nothing is written before the first sign-in.
 */
export function createFileTokenStore(path: string): TokenStore {
  if (!isAbsolute(path)) throw new TypeError(`path must be an absolute path, got ${JSON.stringify(path)}`);
  return new FileTokenStore(path);
}

class FileTokenStore implements TokenStore {
  readonly #path: string;
  /** Changes of this process wait for one another here, so that the lock is for other processes. */
  #lastChange: Promise<unknown> = Promise.resolve();

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
    const done = this.#lastChange.then(() => this.#changeUnderLock(change));
    this.#lastChange = done.catch(() => undefined); // whoever asked for that change is told
    return done;
  }

  async #changeUnderLock(change: (entries: Map<string, string>) => void): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const lock = await requireLock(`${this.#path}.lock`, changeWaitMs);
    try {
      const entries = await this.#entries();
      change(entries);
      if (!(await lock.isHeld())) throw new SignInError(`${this.#path} was not written: this process slept. Try again`);
      await writePrivateFile(this.#path, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
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
  if (lock === undefined) throw new SignInError(`${path} is held by another process`);
  return lock;
}

/** What is no file of ours is left alone, and not shown: it may hold secrets. */
function parseEntries(text: string, path: string): Record<string, string> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new SignInError(`${path} is no file of sign-ins: it is not JSON. Move it away to begin a new one`);
  }
  if (!isTexts(value)) {
    throw new SignInError(
      `${path} is no file of sign-ins: it is no JSON object of texts. Move it away to begin a new one`,
    );
  }
  return value;
}

function isTexts(value: unknown): value is Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((entry) => typeof entry === 'string');
}
