import { relativeInside } from '@x/internal/files';
import type { ConfigLayer } from '../config.js';
import type { ConfigIssue } from '../issues.js';
import { refusalOf } from './file-trust.js';
import { findFiles, projectRootOf } from './find-files.js';
import type { LoadPolicy } from './load-options.js';
import { readFileText } from './read-text.js';

export interface ReadFile {
  readonly path: string;
  /** File name in issues. */
  readonly shown: string;
  readonly layer: ConfigLayer;
  /** Absolute start of relative paths in the text. */
  readonly root: string;
  readonly text: string;
  readonly mode: number;
}

export interface ReadFiles {
  readonly files: readonly ReadFile[];
  /** One issue for each file that was found but not read. */
  readonly refusals: readonly ConfigIssue[];
}

/**
 * @param triedPaths - Receives each tried path, also on an error.
 * @throws {ConfigError} `config-not-found` or `unreadable`
 */
export async function readFiles(policy: LoadPolicy, triedPaths?: Set<string>): Promise<ReadFiles> {
  const files: ReadFile[] = [];
  const refusals: ConfigIssue[] = [];
  for (const found of await findFiles(policy, triedPaths)) {
    const { path, layer } = found;
    const shown = relativeInside(path, policy.cwd) ?? path;
    const { text, mode, owner } = await readFileText(path);
    const refusal = await refusalOf(found, owner, shown);
    if (refusal === undefined) files.push({ path, shown, layer, root: projectRootOf(path), text, mode });
    else refusals.push(refusal);
  }
  return { files, refusals };
}
