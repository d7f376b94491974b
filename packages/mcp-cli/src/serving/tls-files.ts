import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { messageOf } from '@x/internal/errors';
import { codeOf } from '@x/internal/files';
import { UsageError } from '../command.js';
import type { HttpPlan } from './http-plan.js';

export interface TlsFiles {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

/** @throws {UsageError} A file cannot be read, is no PEM, or certificate and key do not match. */
export async function readTlsFiles(
  { certFile, keyFile }: NonNullable<HttpPlan['tls']>,
  cwd: string,
): Promise<TlsFiles> {
  const [cert, key] = await Promise.all([
    readPem(resolve(cwd, certFile), '--tls-cert'),
    readPem(resolve(cwd, keyFile), '--tls-key'),
  ]);
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    const reason = messageOf(cause);
    throw new UsageError(`HTTPS cannot use ${certFile} and ${keyFile}: ${reason}.`, {
      hint: 'Both must be PEM. The key must have no passphrase and match the first certificate in the file.',
      cause,
    });
  }
  return { cert, key };
}

async function readPem(path: string, flag: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new UsageError(`${flag} ${path} cannot be read: ${codeOf(cause) ?? 'unknown'}.`, {
      hint: 'Use the path of a PEM file that you can read.',
      cause,
    });
  }
}
