import type { Stats } from 'node:fs';
import { chmod, lstat, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ControlError } from '../control/control-error.js';

/** What is there for everybody to write to is still safe when only the owner of an entry may take it away. */
const stickyBit = 0o1000;

/**
 * Makes a directory that only this user can enter, or checks that one is.
 *
 * @param userId - `undefined`: the system has no owners to look at, as on Windows.
 * @throws {ControlError} `unsafe-directory`: it is another user's, others may write to it, or it is a link.
 */
export async function makePrivateDirectory(path: string, userId: number | undefined): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await requirePrivateDirectory(path, userId);
  if (userId !== undefined && ((await lstat(path)).mode & 0o077) !== 0) await chmod(path, 0o700);
}

/**
 * The same without making it.
 *
 * @returns Whether it is there.
 */
export async function requirePrivateDirectory(path: string, userId: number | undefined): Promise<boolean> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (!found) return false;
  const fault = faultOf(found, userId) ?? faultAbove(await stat(dirname(path)), userId);
  if (fault === undefined) return true;
  throw new ControlError('unsafe-directory', `The directory ${path} ${fault}, so nothing in it can be trusted.`, {
    hint: `Remove it, or make it yours alone: chown and chmod 700. Another one is used when XDG_RUNTIME_DIR names it.`,
  });
}

function faultOf(found: Stats, userId: number | undefined): string | undefined {
  if (found.isSymbolicLink()) return 'is a link to somewhere else';
  if (!found.isDirectory()) return 'is no directory';
  if (userId === undefined) return undefined;
  if (found.uid !== userId) return `belongs to another user (${found.uid})`;
  return (found.mode & 0o022) === 0 ? undefined : 'can be written to by other users';
}

/** Whoever may rename a directory may put another in its place. */
function faultAbove({ mode, uid }: Stats, userId: number | undefined): string | undefined {
  if (userId === undefined) return undefined;
  if (uid !== userId && uid !== 0) return `lies in a directory of another user (${uid})`;
  return (mode & 0o002) !== 0 && (mode & stickyBit) === 0
    ? 'lies where everybody may put another in its place'
    : undefined;
}
