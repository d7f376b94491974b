import { open } from 'node:fs/promises';
import { ConfigError } from '../errors.js';
import { limits } from '../source/limits.js';

/**
 * The text of a file. Of a file beyond the limit only as much is read as shows that it is, so that its size is
 * reported like any other fault in a text.
 *
 * @throws {ConfigError} `unreadable`
 */
export async function readText(path: string): Promise<string> {
  const bytes = await readBytes(path).catch((cause: unknown) => {
    const code = cause instanceof Error && 'code' in cause ? cause.code : cause;
    throw new ConfigError('unreadable', `${path} cannot be read: ${String(code)}`, { cause });
  });
  const isCut = bytes.length > limits.textBytes;
  try {
    // As a stream, a character that the cut went through is not a fault.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut });
  } catch (cause) {
    throw new ConfigError('unreadable', `${path} is not UTF-8 text: save it as UTF-8`, { cause });
  }
}

async function readBytes(path: string): Promise<Uint8Array> {
  await using file = await open(path);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of file.createReadStream({ end: limits.textBytes + 3, autoClose: false })) {
    chunks.push(chunk);
    length += chunk.length;
  }
  return Buffer.concat(chunks, length);
}
