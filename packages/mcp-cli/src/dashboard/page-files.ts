import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * All files of the page by name, read in advance, so that a request can read nothing else. `index.html` also has the
 * name ''.
 *
 * @throws The directory does not exist or contains no page.
 */
export async function readPageFiles(directory: string): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>();
  for (const name of await readdir(directory)) {
    const type = types[extname(name)];
    if (type !== undefined) files.set(name, { type, bytes: await readFile(join(directory, name)) });
  }
  const page = files.get('index.html');
  if (!page) throw new Error(`There is no index.html in ${directory}`);
  return files.set('', page);
}
