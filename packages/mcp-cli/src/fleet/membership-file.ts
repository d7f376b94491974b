import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseJson } from '@x/internal/json';
import { codeOf } from '../error-code.js';
import { CommandError, exitCodes, UsageError } from '../exit-codes.js';
import { type Membership, readMembership } from './membership.js';

/** File of a daemon's membership, in the user's state and never in the project. */
export function membershipFile(stateDirectory: string | undefined, daemonId: string): string | undefined {
  return stateDirectory === undefined ? undefined : join(stateDirectory, 'fleet', `${daemonId}.json`);
}

/** @throws {CommandError} The file cannot be read, or is not one of ours. */
export async function rememberedMembership(file: string | undefined): Promise<Membership | undefined> {
  if (file === undefined) return undefined;
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw unreadable(file, codeOf(cause) ?? String(cause), cause);
  }
  const membership = readMembership(parseJson(text));
  if (membership === undefined) throw unreadable(file, 'it is not what "mcpx fleet join" writes');
  return membership;
}

/** @throws {CommandError} There is no directory for it, or it cannot be written. */
export async function rememberMembership(file: string | undefined, membership: Membership): Promise<void> {
  if (file === undefined) {
    throw new UsageError('There is no directory in which the fleet could be remembered.', { hint: 'Set HOME.' });
  }
  const draft = `${file}.${randomUUID()}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(draft, `${JSON.stringify({ format: 1, ...membership }, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, file);
  } catch (cause) {
    throw new CommandError(
      exitCodes.failed,
      `The fleet cannot be remembered in ${file}: ${codeOf(cause) ?? String(cause)}.`,
      { hint: 'Nothing has changed. Make its directory writable.', cause },
    );
  } finally {
    await rm(draft, { force: true }).catch(() => undefined); // where it could not be created
  }
}

/**
 * @returns `true` if there was one.
 * @throws {CommandError} It cannot be removed.
 */
export async function forgetMembership(file: string | undefined): Promise<boolean> {
  if (file === undefined) return false;
  try {
    await rm(file);
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return false;
    throw new CommandError(exitCodes.failed, `${file} cannot be removed: ${codeOf(cause) ?? String(cause)}.`, {
      hint: 'Remove it yourself; until then the daemon joins the fleet again when it is started.',
      cause,
    });
  }
}

function unreadable(file: string, reason: string, cause?: unknown): CommandError {
  return new CommandError(exitCodes.failed, `Which fleet to join cannot be read from ${file}: ${reason}.`, {
    hint: 'Run "mcpx fleet leave" to forget it, and then "mcpx fleet join" again.',
    cause,
  });
}
