import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { hexDigest } from '@x/internal/files';

/**
 * Copies a file and deletes the oldest copies beyond `keep`. Uses a private directory, because some hosts read all
 * files of their folder.
 *
 * @returns Path of the copy; `undefined` if `keep` is 0.
 */
export async function backUp(
  path: string,
  bytes: Uint8Array,
  { directory, keep }: { readonly directory: string; readonly keep: number },
): Promise<string | undefined> {
  if (keep === 0) return undefined;
  const folder = join(directory, hexDigest(path, 16));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const copies = await numbered(folder);
  const number = String((copies.at(-1)?.number ?? 0) + 1).padStart(6, '0');
  const copy = join(folder, `${number}-${basename(path)}`);
  {
    await using file = await open(copy, 'wx', 0o600);
    await file.writeFile(bytes);
    await file.sync();
  }
  const tooMany = copies.slice(0, Math.max(0, copies.length + 1 - keep));
  await Promise.all(tooMany.map(({ name }) => rm(join(folder, name), { force: true })));
  return copy;
}

async function numbered(folder: string): Promise<readonly { readonly name: string; readonly number: number }[]> {
  const names = await readdir(folder);
  return names
    .map((name) => ({ name, number: Number(/^(\d{6,})-/.exec(name)?.[1]) }))
    .filter(({ number }) => Number.isInteger(number))
    .toSorted((a, b) => a.number - b.number);
}
