import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** BENCH_PACKAGES names another folder of packages than this repository's, to compare two builds. */
const packages = resolve(process.env.BENCH_PACKAGES ?? fileURLToPath(new URL('../packages', import.meta.url)));

/** Where a built package of ours is imported from. */
export function packageEntry(name, entry = 'index') {
  return pathToFileURL(packagePath(name, `${entry}.js`)).href;
}

/** A file of a built package of ours. */
export function packagePath(name, file) {
  return join(packages, name, 'dist', file);
}

/** Where a file of something that a package of ours depends on is imported from, so that it is the same module. */
export function packageDependency(name, path) {
  return pathToFileURL(join(packages, name, 'node_modules', path)).href;
}
