import type { ConfigLayer } from '../config.js';

/**
 * Config texts that a program provides besides the files, for example from files of host apps. A server in a file takes
 * the place of one with its name in a text, in every layer.
 */
export interface TextSource {
  /** `no-files`: only if the search finds no file. `always`: also besides files; without `files` nothing is searched. */
  readonly when: 'no-files' | 'always';
  /** Called for each reading. `watchConfig` also calls it at each check, so it should remember its last result. */
  read(): Promise<GivenTexts>;
}

/** Texts of one time. */
export interface GivenTexts {
  readonly texts: readonly GivenText[];
  /** Absolute paths that affect the texts, existing or not. `watchConfig` watches them. */
  readonly paths: readonly string[];
}

/** One config text. */
export interface GivenText {
  /** Absolute path of the file that the text was made from. No `.env` file beside it is read. */
  readonly path: string;
  /** `user` for a file that only the user writes: its servers need no consent. */
  readonly layer: Exclude<ConfigLayer, 'explicit'>;
  /** Absolute start of relative paths, and working directory of servers without one. */
  readonly root: string;
  /** JSON in the form of `mcp_servers.yaml`. Positions of issues refer to it. */
  readonly text: string;
}

/** @returns What the option must be; `undefined` for a valid one. */
export function checkTextSource(given: unknown): string | undefined {
  const { when, read } = Object(given) as Partial<TextSource>;
  const isValid = (when === 'no-files' || when === 'always') && typeof read === 'function';
  return isValid ? undefined : 'an object with "when" ("no-files" or "always") and "read"';
}
