import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { platform, userInfo } from 'node:os';
import { codeOf } from '@x/internal/files';
import { UsageError } from '../command.js';

/** Container platforms mount secrets here, readable for every user. */
const mountedSecrets = /^\/(var\/)?run\/secrets\//;

/**
 * Reads a text file that the user owns and others cannot access, like a key of ssh.
 *
 * @param what - For messages, such as `The token file`.
 * @param userId - Required owner. Default: the current user; `undefined` where files have no owner, as on Windows.
 * @throws {UsageError}
 */
export async function readPrivateFile(
  path: string,
  {
    what,
    maxBytes,
    userId = ownUserId(),
  }: { readonly what: string; readonly maxBytes: number; readonly userId?: number | undefined },
): Promise<string> {
  // A named pipe would block until a writer opens it.
  await using file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((cause: unknown) => {
    const code = codeOf(cause) ?? 'unknown';
    const reason = code === 'ENOENT' ? 'does not exist' : `cannot be opened: ${code}`;
    throw new UsageError(`${what} ${path} ${reason}.`, { hint: 'Use the path of a file that you can read.', cause });
  });
  const found = await file.stat();
  if (!found.isFile())
    throw new UsageError(`${what} ${path} is not a file.`, { hint: 'Use the path of a regular file.' });
  // The owner of a file can open it to others and write a token into it.
  if (userId !== undefined && found.uid !== userId && !mountedSecrets.test(path)) {
    throw new UsageError(`${what} ${path} belongs to another user (${found.uid}).`, {
      hint: `Use a file that you own, or run: chown ${userId} ${path}`,
    });
  }
  if (platform() !== 'win32' && (found.mode & 0o077) !== 0 && !mountedSecrets.test(path)) {
    const mode = (found.mode & 0o777).toString(8).padStart(3, '0');
    throw new UsageError(`${what} ${path} can be read or changed by other users (mode ${mode}).`, {
      hint: `Run: chmod 600 ${path}`,
    });
  }
  const buffer = Buffer.alloc(maxBytes + 1);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
  if (bytesRead > maxBytes) {
    throw new UsageError(`${what} ${path} is longer than ${maxBytes} bytes.`, {
      hint: 'Check that it is the right file.',
    });
  }
  return buffer.toString('utf8', 0, bytesRead);
}

function ownUserId(): number | undefined {
  try {
    const { uid } = userInfo();
    return uid < 0 ? undefined : uid;
  } catch {
    return undefined; // a user without a name, as in containers, cannot open private files of others anyway
  }
}
