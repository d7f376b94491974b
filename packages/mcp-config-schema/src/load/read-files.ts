import { relativeInside } from '@x/internal/files';
import type { ConfigLayer } from '../config.js';
import type { ConfigIssue } from '../issues.js';
import { refusalOf } from './file-trust.js';
import { findFiles, projectRootOf } from './find-files.js';
import type { LoadPolicy } from './load-options.js';
import { readFileText } from './read-text.js';

/** One file as it was at one moment. */
export interface ReadFile {
  /** Absolute. */
  readonly path: string;
  /** The name that issues use. */
  readonly shown: string;
  readonly layer: ConfigLayer;
  /** Absolute; what relative paths in the text start from. */
  readonly root: string;
  readonly text: string;
  /** Permission bits, as in `0o644`. */
  readonly mode: number;
}

export interface ReadFiles {
  readonly files: readonly ReadFile[];
  /** One for each file that was found and not read. */
  readonly refusals: readonly ConfigIssue[];
}

/**
 * Finds and reads the files of every layer.
 *
 * @param lookedAt - Gets each path that was tried, also when this throws.
 * @throws {ConfigError} `config-not-found` or `unreadable`
 */
export async function readFiles(policy: LoadPolicy, lookedAt?: Set<string>): Promise<ReadFiles> {
  const files: ReadFile[] = [];
  const refusals: ConfigIssue[] = [];
  for (const found of await findFiles(policy, lookedAt)) {
    const { path, layer } = found;
    const shown = relativeInside(path, policy.cwd) ?? path;
    const { text, mode, owner } = await readFileText(path);
    const refusal = await refusalOf(found, owner, shown);
    if (refusal === undefined) files.push({ path, shown, layer, root: projectRootOf(path), text, mode });
    else refusals.push(refusal);
  }
  return { files, refusals };
}
