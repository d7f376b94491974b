import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A temporary directory for one test, removed after it. */
export interface ConfigFolder extends AsyncDisposable {
  /** Absolute, without links. */
  readonly path: string;
  /** Writes a file and returns its absolute path. */
  write(file: string, text: string): Promise<string>;
}

export async function configFolder(files: Readonly<Record<string, string>> = {}): Promise<ConfigFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'mcp-config-')));
  const folder: ConfigFolder = {
    path,
    async write(file, text) {
      const target = join(path, file);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, text);
      return target;
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  };
  for (const [file, text] of Object.entries(files)) await folder.write(file, text);
  return folder;
}
