import { randomBytes } from 'node:crypto';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf, hexDigest } from '@x/internal/files';
import { UsageError } from '../command.js';
import { readPrivateFile } from './private-file.js';

export interface StoredToken {
  readonly token: string;
  readonly file: string;
  readonly isNew: boolean;
}

/**
 * The token of a config, generated on first use. Only its owner can read the file. Of several concurrent processes one
 * creates it.
 *
 * @param owner - Absolute paths of the config's files.
 * @throws {UsageError} The file was changed and is invalid.
 */
export async function loadOrCreateToken(stateDirectory: string, owner: readonly string[]): Promise<StoredToken> {
  const file = join(stateDirectory, 'gateway-tokens', `${hexDigest(JSON.stringify(owner), 16)}.token`);
  const isNew = await createTokenFile(file);
  return { token: await readTokenFile(file), file, isNew };
}

/** @throws {UsageError} The file cannot be read, is not private, or contains no token. */
export async function readTokenFile(file: string): Promise<string> {
  const text = await readPrivateFile(file, { what: 'The token file', maxBytes: 4_096 });
  return checkToken(text.trim(), `The token file ${file}`);
}

/** @throws {UsageError} */
export function checkToken(token: string, place: string): string {
  if (isToken(token)) return token;
  throw new UsageError(`${place} must contain a token of 16 or more ASCII characters without spaces.`, {
    hint: 'Generate one with: openssl rand -hex 32',
  });
}

/** At least 16 characters that a header can contain. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]{16,4096}$/.test(text);
}

/** @returns False if the file existed. */
async function createTokenFile(file: string): Promise<boolean> {
  const draft = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
    // A hard link never replaces a file, and readers never see a partial one.
    await link(draft, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw new UsageError(`A token cannot be stored in ${file}: ${codeOf(error) ?? 'unknown'}.`, {
      hint: 'Use your own file with --token-file.',
      cause: error,
    });
  } finally {
    await rm(draft, { force: true }).catch(() => undefined); // the draft may not exist
  }
}
