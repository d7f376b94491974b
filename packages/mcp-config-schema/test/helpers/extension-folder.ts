import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A project with an extension on disk, removed at the end of its scope. */
export interface ExtensionFolder extends AsyncDisposable {
  /** The project. */
  readonly root: string;
  /** The extension, below `root`. */
  readonly folder: string;
  /** Writes a file by its path from `root`. */
  write(path: string, text: string, mode?: number): Promise<string>;
}

/** @param files - Text by path. Paths that start with `extension/` are in the extension. */
export async function extensionFolder(files: Readonly<Record<string, string>>): Promise<ExtensionFolder> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'extension-')));
  const write = async (path: string, text: string, mode = 0o644) => {
    const full = join(root, ...path.split('/'));
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, text);
    await chmod(full, mode);
    return full;
  };
  await mkdir(join(root, 'extension'));
  for (const [path, text] of Object.entries(files)) await write(path, text);
  return {
    root,
    folder: join(root, 'extension'),
    write,
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}
