import { open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const pollMs = 250;
const tailBytes = 32 * 1_024;

/** Yields the end of a log, then with `follow` everything appended. Yields nothing for a missing log. */
export async function* readLog(
  path: string,
  { follow = false, signal }: { readonly follow?: boolean | undefined; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<string, void, undefined> {
  let file: { readonly number: number; readonly offset: number } | undefined;
  for (;;) {
    const next = await readFrom(path, file);
    if (next.text !== '') yield next.text;
    file = next.file;
    if (!follow) return;
    await pause(pollMs, undefined, { signal });
  }
}

async function readFrom(
  path: string,
  last: { readonly number: number; readonly offset: number } | undefined,
): Promise<{ readonly text: string; readonly file: typeof last }> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return { text: '', file: last };
  try {
    const { size, ino: number } = await file.stat();
    const isSame = last?.number === number && last.offset <= size;
    // After a rotation the new file is read from its beginning.
    const start = isSame ? last.offset : last ? 0 : Math.max(0, size - tailBytes);
    const buffer = Buffer.alloc(size - start);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
    const text = buffer.subarray(0, bytesRead).toString('utf8');
    const whole = start > 0 && !isSame ? text.slice(text.indexOf('\n') + 1) : text;
    return { text: whole, file: { number, offset: start + bytesRead } };
  } finally {
    await file.close();
  }
}
