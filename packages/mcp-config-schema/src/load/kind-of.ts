import { stat } from 'node:fs/promises';
import { ConfigError } from '../errors.js';

export type PathKind = 'file' | 'directory' | 'other' | 'missing';

/**
 * What a path leads to, links followed.
 *
 * @throws {ConfigError} `unreadable`: it cannot be looked at.
 */
export async function kindOf(path: string): Promise<PathKind> {
  try {
    const found = await stat(path);
    return found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other';
  } catch (cause) {
    const code = codeOf(cause);
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing';
    throw cannotLookAt(path, cause);
  }
}

/** For what the system refuses, and for what went away while it was looked at. */
export function cannotLookAt(path: string, cause: unknown): ConfigError {
  return new ConfigError('unreadable', `${path} cannot be looked at: ${codeOf(cause) ?? String(cause)}`, { cause });
}

function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
}
