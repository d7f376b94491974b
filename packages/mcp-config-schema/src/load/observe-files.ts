import { createHash } from 'node:crypto';
import { type ConfigError, isConfigError } from '../errors.js';
import { checkReadFiles, type FilesCheck } from './check-read-files.js';
import type { LoadPolicy } from './load-options.js';
import { type ReadFiles, readFiles } from './read-files.js';

export interface Observation {
  /** Equal for equal contents, files and issues. */
  readonly digest: string;
  /** Paths that affect the result. */
  readonly triedPaths: ReadonlySet<string>;
  readonly outcome: FilesCheck | ConfigError;
}

/** Checks only after a change. */
export class FilesObserver {
  readonly #policy: LoadPolicy;
  #last: { readonly key: string; readonly check: FilesCheck } | undefined;

  constructor(policy: LoadPolicy) {
    this.#policy = policy;
  }

  async observe(): Promise<Observation> {
    const triedPaths = new Set<string>();
    const read = await readFiles(this.#policy, triedPaths).catch((error: unknown) => {
      if (isConfigError(error)) return error;
      throw error;
    });
    if (isConfigError(read)) {
      return { digest: hashOf([read.code, read.message]), triedPaths, outcome: read };
    }
    const check = await this.#check(read);
    const contents = read.files.flatMap(({ layer, path, text }) => [layer, path, text]);
    return { digest: hashOf([...contents, JSON.stringify(check.issues)]), triedPaths, outcome: check };
  }

  async #check(read: ReadFiles): Promise<FilesCheck> {
    const key = hashOf([JSON.stringify(read)]);
    if (this.#last?.key !== key) this.#last = { key, check: await checkReadFiles(read, this.#policy) };
    return this.#last.check;
  }
}

function hashOf(texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text.length}:${text}`);
  return hash.digest('base64');
}
