import { randomBytes } from 'node:crypto';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hexDigest } from '@x/internal/files';
import { codeOf } from '../error-code.js';
import { UsageError } from '../exit-codes.js';
import { readPrivateFile } from './private-file.js';

export interface KeptToken {
  readonly token: string;
  readonly file: string;
  /** Whether the file was not there before. */
  readonly isNew: boolean;
}

/**
 * The token of a config: the same in every run, made at the first one, readable for its owner alone. Of several
 * processes that make it at the same time, one does and the others take what it made.
 *
 * @param owner - Absolute paths of the config's files.
 * @throws {UsageError} The file is not what it was made as.
 */
export async function keptToken(stateDirectory: string, owner: readonly string[]): Promise<KeptToken> {
  const file = join(stateDirectory, 'gateway-tokens', `${hexDigest(JSON.stringify(owner), 16)}.token`);
  const isNew = await makeTokenFile(file);
  return { token: await readTokenFile(file), file, isNew };
}

/** @throws {UsageError} It cannot be read, others may read it, or what is in it is no token. */
export async function readTokenFile(file: string): Promise<string> {
  const text = await readPrivateFile(file, { what: 'The token file', maxBytes: 4_096 });
  return checkToken(text.trim(), `The token file ${file}`);
}

/** @throws {UsageError} It is too short to be a secret, or cannot be sent in a header. */
export function checkToken(token: string, place: string): string {
  if (isToken(token)) return token;
  throw new UsageError(`${place} holds no token: 16 or more characters of ASCII, without spaces.`, {
    hint: 'Make one with: openssl rand -hex 32',
  });
}

/** Long enough to be a secret, and what a header can hold. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]{16,4096}$/.test(text);
}

/** @returns Whether it was made now. */
async function makeTokenFile(file: string): Promise<boolean> {
  const draft = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
    // A link that is there already is left alone, and a reader never sees half a file.
    await link(draft, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw new UsageError(`A token cannot be kept in ${file}: ${codeOf(error) ?? 'unknown'}.`, {
      hint: 'Name a file of your own with --token-file.',
      cause: error,
    });
  } finally {
    await rm(draft, { force: true }).catch(() => undefined); // where it could not be made
  }
}
