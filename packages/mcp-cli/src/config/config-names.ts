import { resolve } from 'node:path';

/** What `--config`, `--from` and `--env-file` name. */
export interface ConfigNames {
  /** Files and directories. */
  readonly files: readonly string[];
  /** Host apps whose files are read in place of a config. */
  readonly hosts: readonly string[];
  /** Files with values of variables. */
  readonly envFiles: readonly string[];
}

const prefixes = { hosts: 'host:', envFiles: 'env-file:' } as const;
type Kind = keyof typeof prefixes;

/** The word that `--from` or `--env-file` stands for, so that all that passes on `--config` passes on these, too. */
export function configWord(kind: Kind, name: string): string {
  return `${prefixes[kind]}${name}`;
}

/** Splits words of `--config`. A file whose name begins with a prefix is written `./host:…`. */
export function configNames(words: readonly string[] = []): ConfigNames {
  const named = (kind: Kind): readonly string[] =>
    words.flatMap((word) => (word.startsWith(prefixes[kind]) ? [word.slice(prefixes[kind].length)] : []));
  const isFile = (word: string): boolean => !Object.values(prefixes).some((prefix) => word.startsWith(prefix));
  return { files: words.filter(isFile), hosts: named('hosts'), envFiles: named('envFiles') };
}

/** The same words for a program with another working directory. */
export function absoluteNames(words: readonly string[] | undefined, cwd: string): readonly string[] | undefined {
  if (words === undefined) return undefined;
  const { files, hosts, envFiles } = configNames(words);
  return [
    ...files.map((file) => resolve(cwd, file)),
    ...hosts.map((host) => configWord('hosts', host)),
    ...envFiles.map((file) => configWord('envFiles', resolve(cwd, file))),
  ];
}
