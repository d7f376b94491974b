import { writeFile } from 'node:fs/promises';
import { renameOver } from '@x/internal/files';

/** Replaces a file as a whole, as editors do: `writeFile` alone leaves it empty for a moment, in which a watcher may read it. */
export async function replaceFile(path: string, text: string, mode = 0o666): Promise<void> {
  await writeFile(`${path}.new`, text, { mode });
  await renameOver(`${path}.new`, path);
}
