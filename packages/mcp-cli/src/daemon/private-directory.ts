import { lstatSync, type Stats, statSync } from 'node:fs';
import { chmod, lstat, mkdir } from 'node:fs/promises';
import { platform as systemPlatform } from 'node:os';
import { dirname } from 'node:path';
import { messageOf } from '@x/internal/errors';
import { codeOf } from '@x/internal/files';
import { ControlError } from '../control/control-error.js';

/** In a directory with the sticky bit only the owner of an entry may remove it. */
const stickyBit = 0o1000;

/**
 * Creates or checks a directory that only this user can enter.
 *
 * @param userId - `undefined` where files have no owner, as on Windows.
 * @throws {ControlError} `unsafe-directory`: another user owns it or may write to it, or it is a link.
 *   `daemon-start-failed`: it cannot be created.
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

export function needsDirectory(path: string, platform: string = systemPlatform()): string {
  const place = directoryVariable(platform);
  return `It stores its files in ${path}. Make that directory writable, or set ${place} to a writable one.`;
}

/** The variable that moves the files of daemons. */
function directoryVariable(platform: string): string {
  return platform === 'win32' ? 'LOCALAPPDATA' : 'XDG_RUNTIME_DIR';
}

export function untrustedDirectoryHint(platform: string = systemPlatform()): string {
  const repair = platform === 'win32' ? '' : ', or make it private with chown and chmod 700';
  return `Remove it${repair}, or set ${directoryVariable(platform)} to another one.`;
}

/**
 * Checks a directory. Synchronous inside, because every command waits for it and `fs/promises` takes 2 ms to load.
 *
 * @returns False if it does not exist.
 */
export async function requirePrivateDirectory(path: string, userId: number | undefined): Promise<boolean> {
  const found = statsOf(path);
  if (!found) return false;
  const fault = faultOf(found, userId) ?? faultOfParent(statSync(dirname(path)), userId);
  if (fault === undefined) return true;
  throw unsafe(path, fault);
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT' || codeOf(cause) === 'ENOTDIR') return undefined;
    throw unsafe(path, `cannot be checked (${codeOf(cause)})`, cause);
  }
}

function unsafe(path: string, fault: string, cause?: unknown): ControlError {
  return new ControlError('unsafe-directory', `The directory ${path} ${fault}, so nothing in it can be trusted.`, {
    hint: untrustedDirectoryHint(),
    cause,
  });
}

function faultOf(found: Stats, userId: number | undefined): string | undefined {
  if (found.isSymbolicLink()) return 'is a symbolic link';
  if (!found.isDirectory()) return 'is not a directory';
  if (userId === undefined) return undefined;
  if (found.uid !== userId) return `belongs to another user (${found.uid})`;
  return (found.mode & 0o022) === 0 ? undefined : 'can be written to by other users';
}

/** A user who may rename a directory may put another one in its place. */
function faultOfParent({ mode, uid }: Stats, userId: number | undefined): string | undefined {
  if (userId === undefined) return undefined;
  if (uid !== userId && uid !== 0) return `is in a directory of another user (${uid})`;
  return (mode & 0o002) !== 0 && (mode & stickyBit) === 0
    ? 'is in a directory in which every user can replace it'
    : undefined;
}
