import { lstatSync, type Stats, statSync } from 'node:fs';
import { chmod, lstat, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '@x/internal/errors';
import { ControlError } from '../control/control-error.js';
import { codeOf } from '../error-code.js';

/** What is there for everybody to write to is still safe when only the owner of an entry may take it away. */
const stickyBit = 0o1000;

/**
 * Makes a directory that only this user can enter, or checks that one is.
 *
 * @param userId - `undefined`: the system has no owners to look at, as on Windows.
 * @throws {ControlError} `unsafe-directory`: it is another user's, others may write to it, or it is a link.
 *   `daemon-start-failed`: it cannot be made.
 */
export async function makePrivateDirectory(path: string, userId: number | undefined): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
    throw new ControlError('daemon-start-failed', `The daemon could not start: ${messageOf(cause)}.`, {
      hint: needsDirectory(path),
      cause,
    });
  });
  await requirePrivateDirectory(path, userId);
  if (userId !== undefined && ((await lstat(path)).mode & 0o077) !== 0) await chmod(path, 0o700);
}

/** What would let a daemon keep its files in a directory, or in another one. */
export function needsDirectory(path: string): string {
  return `It keeps its files in ${path}. Make it one that you can write to, or set XDG_RUNTIME_DIR to one that you can.`;
}

/**
 * The same without making it. Synchronous inside, because every command waits for it: `fs/promises` takes 2 ms to load.
 *
 * @returns Whether it is there.
 */
export async function requirePrivateDirectory(path: string, userId: number | undefined): Promise<boolean> {
  const found = statsOf(path);
  if (!found) return false;
  const fault = faultOf(found, userId) ?? faultAbove(statSync(dirname(path)), userId);
  if (fault === undefined) return true;
  throw unsafe(path, fault);
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT' || codeOf(cause) === 'ENOTDIR') return undefined;
    throw unsafe(path, `cannot be looked at (${codeOf(cause)})`, cause);
  }
}

function unsafe(path: string, fault: string, cause?: unknown): ControlError {
  return new ControlError('unsafe-directory', `The directory ${path} ${fault}, so nothing in it can be trusted.`, {
    hint: 'Remove it, or make it yours alone: chown and chmod 700. Another one is used when XDG_RUNTIME_DIR names it.',
    cause,
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
