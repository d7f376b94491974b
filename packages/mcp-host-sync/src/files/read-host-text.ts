import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { textLimits } from '@x/internal/syntax';
import { HostFileError } from '../host-error.js';
import { systemCode } from './file-failure.js';

interface ReadOptions {
  /** Returns false for a text that its host may still be writing. */
  readonly isWhole?: ((text: string) => boolean) | undefined;
  /** Waits between attempts to read an incomplete file. Default 100 ms. */
  readonly pause?: (() => Promise<void>) | undefined;
}

const maxPauses = 5;

/**
 * Text of a host's file, including a byte order mark; `undefined` without a file. Reads an incomplete text again, up to
 * 5 times, because some hosts empty their file before they write it.
 *
 * @throws {HostFileError} `not-a-file`, `unreadable-file`, `not-text`, `too-large`
 */
export async function readHostText(
  path: string,
  { isWhole = () => true, pause = () => wait(100) }: ReadOptions = {},
): Promise<string | undefined> {
  let text = await readOnce(path);
  for (let pauses = 0; pauses < maxPauses && text !== undefined && !isWhole(text); pauses += 1) {
    await pause();
    text = await readOnce(path);
  }
  return text;
}

async function readOnce(path: string): Promise<string | undefined> {
  const bytes = await readHostBytes(path);
  return bytes === undefined ? undefined : decodeText(bytes, path);
}

/** @throws {HostFileError} `not-text` */
export function decodeText(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new HostFileError('not-text', `${path} is not UTF-8 text. Save it as UTF-8`, { file: path, cause });
  }
}

/** @throws {HostFileError} `not-a-file`, `unreadable-file`, `too-large` */
export async function readHostBytes(path: string, maxBytes: number = textLimits.bytes): Promise<Buffer | undefined> {
  // Nonblocking, because opening a pipe would wait for a writer.
  const opened = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((cause: unknown) => {
    if (systemCode(cause) === 'ENOENT') return undefined;
    throw cannotRead(path, cause);
  });
  if (opened === undefined) return undefined;
  await using file = opened;
  const stats = await file.stat();
  if (!stats.isFile()) throw notAFile(path);
  const { size } = stats;
  if (size > maxBytes) {
    const message = `${path} has ${size} bytes; the limit is ${maxBytes}`;
    throw new HostFileError('too-large', message, { file: path });
  }
  return file.readFile().catch((cause: unknown) => {
    throw cannotRead(path, cause);
  });
}

export function notAFile(path: string): HostFileError {
  const message = `${path} is not a regular file but a directory, a device, a pipe or a socket`;
  return new HostFileError('not-a-file', message, { file: path });
}

function cannotRead(path: string, cause: unknown): HostFileError {
  const message = `${path} cannot be read: ${systemCode(cause) ?? String(cause)}`;
  return new HostFileError('unreadable-file', message, { file: path, cause });
}
