import { resolve } from 'node:path';

/** What `--config` and `--from` name. */
export interface ConfigNames {
  /** Files and directories. */
  readonly files: readonly string[];
  /** Host apps whose files are read in place of a config. */
  readonly hosts: readonly string[];
}

const hostPrefix = 'host:';

/** The word that `--from` stands for, so that all that passes on `--config` passes on hosts, too. */
export function hostWord(host: string): string {
  return `${hostPrefix}${host}`;
}

/** Splits words of `--config`. A file whose name begins with `host:` is written `./host:…`. */
export function configNames(words: readonly string[] = []): ConfigNames {
  return {
    files: words.filter((word) => !word.startsWith(hostPrefix)),
    hosts: words.filter((word) => word.startsWith(hostPrefix)).map((word) => word.slice(hostPrefix.length)),
  };
}

/** The same words for a program with another working directory. */
export function absoluteNames(words: readonly string[] | undefined, cwd: string): readonly string[] | undefined {
  return words?.map((word) => (word.startsWith(hostPrefix) ? word : resolve(cwd, word)));
}
