import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { SecretContext } from './secret-resolver.js';
import { mostSecretBytes, secretText, unavailable } from './secret-text.js';

/** Container platforms mount secrets here, readable for all users of the container. */
const mountedSecrets = /^\/(var\/)?run\/secrets\//;

/**
 * `file:PATH`: the text of a file, without the last line end. `~/` is the home directory; other relative paths start at
 * the root. Other users must not be able to read it.
 */
export async function fileSecret(written: string, { root, env, signal }: SecretContext): Promise<string> {
  const path = resolve(
    root,
    written.replace(/^~(?=[/\\])/, () => env.HOME ?? env.USERPROFILE ?? homedir()),
  );
  // Nonblocking, because opening a named pipe would wait for a writer.
  await using file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((cause: unknown) => {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw unavailable(code === 'ENOENT' ? `${path} does not exist` : `${path} cannot be opened: ${code}`, cause);
  });
  const found = await file.stat();
  if (!found.isFile()) throw unavailable(`${path} is not a file`);
  if (found.size > mostSecretBytes) throw unavailable(`${path} has more than ${mostSecretBytes} bytes`);
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0 && !mountedSecrets.test(path)) {
    const mode = (found.mode & 0o777).toString(8).padStart(3, '0');
    throw unavailable(`${path} can be read or changed by other users (mode ${mode}); run "chmod 600" on it`);
  }
  signal.throwIfAborted();
  const buffer = Buffer.alloc(mostSecretBytes + 1);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
  return secretText(buffer.subarray(0, bytesRead), path);
}
