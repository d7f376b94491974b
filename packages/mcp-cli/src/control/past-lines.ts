import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { logFileName } from '@x/mcp-client-manager';
import { codeOf } from '../files.js';
import type { LogLine } from './reports.js';

/** Bytes read from the end of the log, at most. */
const tailBytes = 64 * 1_024;

/**
 * The last lines of a server's log, oldest first. Secrets were redacted before writing.
 *
 * @param options.before - ISO 8601. Later lines are omitted.
 */
export async function pastLines(
  directory: string | undefined,
  server: string,
  { before }: { readonly before: string },
): Promise<readonly LogLine[]> {
  if (directory === undefined) return [];
  const text = await endOf(join(directory, logFileName(server)));
  return text.split('\n').flatMap((entry) => {
    const [, at, line] = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) (.*)$/.exec(entry) ?? [];
    return at === undefined || line === undefined || at >= before ? [] : [{ line, at }];
  });
}

/**
 * Empty for a missing log and for anything but a regular file: a project could place a link or an endless pipe there.
 * Drops an incomplete first line.
 */
async function endOf(path: string): Promise<string> {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  });
  if (!file) return '';
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return '';
    const { size } = stat;
    const start = Math.max(0, size - tailBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    const text = buffer.subarray(0, bytesRead).toString('utf8');
    return start > 0 ? text.slice(text.indexOf('\n') + 1) : text;
  } finally {
    await file.close();
  }
}
