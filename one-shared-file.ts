import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/**
 * Keeps what an entry reaches together in one file. Left alone, the build makes a file of each set of modules that some
 * entries share and others do not, and each file costs a loader of the entry more than its contents.
 *
 * @param entry - A module of `src`.
 * @param others - Modules of `src` that are never loaded without the entry, or may load all of it.
 */
export function oneSharedFile(entry: string, others: readonly string[]): Plugin {
  const name = 'one-shared-file';
  return {
    name,
    setup(build) {
      build.onLoad({ filter: new RegExp(`[\\\\/]src[\\\\/](${others.join('|')})\\.ts$`) }, async ({ path }) => {
        return { contents: `${await readFile(path, 'utf8')}\nimport '${name}';\n`, loader: 'ts' };
      });
      build.onResolve({ filter: new RegExp(`^${name}$`) }, () => {
        return { path: resolve('src', `${entry}.ts`), sideEffects: true };
      });
    },
  };
}
