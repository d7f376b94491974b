import { type FileHandle, open, stat } from 'node:fs/promises';
import { codeOf } from '@x/internal/files';
import { textLimits } from '@x/internal/syntax';
import { ConfigError } from '../errors.js';

type PathKind = 'file' | 'directory' | 'other' | 'missing';

/**
 * Kind of a path, after links are resolved.
 *
 * @throws {ConfigError} `unreadable`: the path cannot be examined.
 */
export async function kindOf(path: string): Promise<PathKind> {
  try {
    const found = await stat(path);
    return found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other';
  } catch (cause) {
    const code = codeOf(cause);
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing';
    throw cannotExamine(path, cause);
  }
}

/** For paths that the system denies or that disappear meanwhile. */
export function cannotExamine(path: string, cause: unknown): ConfigError {
  return new ConfigError('unreadable', `${path} cannot be examined: ${codeOf(cause) ?? String(cause)}`, { cause });
}

/** A text with owner and mode of its file. */
interface FileText {
  readonly text: string;
  readonly owner: number;
  readonly mode: number;
}

/** @throws {ConfigError} `unreadable` */
export async function readText(path: string): Promise<string> {
  return (await readFileText(path)).text;
}

/**
 * Cuts a file just after the size limit, so that its size is reported like other faults.
 *
 * @throws {ConfigError} `unreadable`
 */
export async function readFileText(path: string): Promise<FileText> {
  const { bytes, owner, mode } = await readFile(path).catch((cause: unknown) => {
    throw new ConfigError('unreadable', `${path} cannot be read: ${codeOf(cause) ?? String(cause)}`, { cause });
  });
  const isCut = bytes.length > textLimits.bytes;
  try {
    // `stream` ignores a character that the cut divides.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut });
    return { text, owner, mode };
  } catch (cause) {
    throw new ConfigError('unreadable', `${path} is not UTF-8 text. Save it as UTF-8`, { cause });
  }
}

async function readFile(path: string): Promise<{ bytes: Uint8Array; owner: number; mode: number }> {
  await using file = await open(path);
  // Not of the path, which may be another file by now.
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
