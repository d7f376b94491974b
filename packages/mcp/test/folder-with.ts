import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renameOver } from '@x/internal/files';

/** A folder with these files, removed on disposal. */
export async function folderWith(files: Readonly<Record<string, unknown>>) {
  const folder = await mkdtemp(join(tmpdir(), 'open-tools-'));
  const write = async (name: string, content: unknown) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    await writeFile(join(folder, `${name}.next`), text);
    await renameOver(join(folder, `${name}.next`), join(folder, name)); // a reader sees all of it or nothing
  };
  for (const [name, content] of Object.entries(files)) await write(name, content);
  return { folder, write, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }) };
}
