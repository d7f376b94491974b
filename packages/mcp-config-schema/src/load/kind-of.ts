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
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing';
    throw new ConfigError('unreadable', `${path} cannot be looked at: ${String(code ?? cause)}`, { cause });
  }
}
