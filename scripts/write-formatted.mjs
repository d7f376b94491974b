import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './root.mjs';
import { run } from './run.mjs';

const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');

/**
 * Writes data as JSON in the project's format.
 * @param {URL} file
 */
export async function writeFormatted(file, data) {
  await writeFile(file, JSON.stringify(data, undefined, 2));
  await run(process.execPath, [biome, 'format', '--write', fileURLToPath(file)], { cwd: root });
}
