import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

/**
 * Every file below `folder`, one a line, sorted. A hash that the bundler puts into a name is written as `[hash]`, so that
 * the list changes with what is shipped and not with each line of code; files that then have one name are one line.
 */
export async function fileList(folder, manifest) {
  const entries = new Set(typesOf(manifest.exports));
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .map((file) => (entries.has(`./${file}`) ? file : withoutHash(file)));
  return `${[...new Set(files)].sort().join('\n')}\n`;
}

/** esbuild's hashes are capitals and digits; those of the declarations and of the dashboard have any letter, and come last. */
function withoutHash(file) {
  if (/\.d\.ts$/.test(file)) return file.replace(/-[\w-]{8}(?=(?:\.d-[\w-]{8})?\.d\.ts$)/g, '-[hash]');
  if (/^dist\/dashboard\/.*(?<!\.md)$/.test(file)) return file.replace(/-[\w-]{8}(?=\.\w+$)/, '-[hash]');
  return file.replace(/-[A-Z0-9]{8}(?=\.js$)/, '-[hash]');
}

function typesOf(target) {
  return typeof target === 'string' ? [target] : Object.values(target).flatMap(typesOf);
}
