import { type FileHandle, open } from 'node:fs/promises';
import { textLimits } from '@x/internal/syntax';
import { ConfigError } from '../errors.js';

/** A text, and whose the file is that it was read from. */
export interface FileText {
  readonly text: string;
  readonly owner: number;
  /** Permission bits, as in `0o644`. */
  readonly mode: number;
}

/** @throws {ConfigError} `unreadable` */
export async function readText(path: string): Promise<string> {
  return (await readFileText(path)).text;
}

/**
 * The text of a file. Of a file beyond the limit only as much is read as shows that it is, so that its size is
 * reported like any other fault in a text.
 *
 * @throws {ConfigError} `unreadable`
 */
export async function readFileText(path: string): Promise<FileText> {
  const { bytes, owner, mode } = await readFile(path).catch((cause: unknown) => {
    const code = cause instanceof Error && 'code' in cause ? cause.code : cause;
    throw new ConfigError('unreadable', `${path} cannot be read: ${String(code)}`, { cause });
  });
  const isCut = bytes.length > textLimits.bytes;
  try {
    // As a stream, a character that the cut went through is not a fault.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut });
    return { text, owner, mode };
  } catch (cause) {
    throw new ConfigError('unreadable', `${path} is not UTF-8 text: save it as UTF-8`, { cause });
  }
}

async function readFile(path: string): Promise<{ bytes: Uint8Array; owner: number; mode: number }> {
  await using file = await open(path);
  // Asked of the open file, so that it is the owner of what was read.
  const { uid, mode } = await file.stat();
  return { bytes: await readBytes(file), owner: uid, mode: mode & 0o777 };
}

async function readBytes(file: FileHandle): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of file.createReadStream({ end: textLimits.bytes + 3, autoClose: false })) {
    chunks.push(chunk);
    length += chunk.length;
  }
  return Buffer.concat(chunks, length);
}
