import { stat } from 'node:fs/promises';
import { ConfigError } from '../errors.js';

export type PathKind = 'file' | 'directory' | 'other' | 'missing';

/**
 * Resolves links.
 *
 * @throws {ConfigError} `unreadable`: the path cannot be examined.
 */
export async function kindOf(path: string): Promise<PathKind> {
  try {
    const found = await stat(path);
    return found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other';
  } catch (cause) {
    const code = codeOf(cause);
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing';
    throw cannotExamine(path, cause);
  }
}

/** For paths that the system denies or that disappear meanwhile. */
export function cannotExamine(path: string, cause: unknown): ConfigError {
  return new ConfigError('unreadable', `${path} cannot be examined: ${codeOf(cause) ?? String(cause)}`, { cause });
}

function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
}
