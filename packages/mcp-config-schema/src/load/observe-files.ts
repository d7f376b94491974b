import { createHash } from 'node:crypto';
import { type ConfigError, isConfigError } from '../errors.js';
import { checkReadFiles, type FilesCheck } from './check-read-files.js';
import type { LoadPolicy } from './load-options.js';
import { type ReadFiles, readFiles } from './read-files.js';

/** What the files say at one moment. */
export interface Observation {
  /** The same for the same contents, files and issues. */
  readonly digest: string;
  /** Every path whose coming, going or changing may change what is observed. */
  readonly lookedAt: ReadonlySet<string>;
  readonly outcome: FilesCheck | ConfigError;
}

/** Looks at the files of a configuration again and again; checks them only when they are not what they were. */
export class FilesObserver {
  readonly #policy: LoadPolicy;
  #last: { readonly key: string; readonly check: FilesCheck } | undefined;

  constructor(policy: LoadPolicy) {
    this.#policy = policy;
  }

  async observe(): Promise<Observation> {
    const lookedAt = new Set<string>();
    const read = await readFiles(this.#policy, lookedAt).catch((error: unknown) => {
      if (isConfigError(error)) return error;
      throw error;
    });
    if (isConfigError(read)) {
      return { digest: hashOf([read.code, read.message]), lookedAt, outcome: read };
    }
    const check = await this.#check(read);
    const contents = read.files.flatMap(({ layer, path, text }) => [layer, path, text]);
    return { digest: hashOf([...contents, JSON.stringify(check.issues)]), lookedAt, outcome: check };
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
