import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/**
 * Keeps what an entry reaches together in one file. Left alone, the build makes a file of each set of modules that some
 * entries share and others do not, and every file costs whoever loads the entry more than its contents do.
 */
export function oneSharedFile(entry: string, others: readonly string[]): Plugin {
  return {
    name: 'one-shared-file',
    setup(build) {
      build.onLoad({ filter: new RegExp(`/src/(${others.join('|')})\\.ts$`) }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        return { contents: `${text}\nimport './${entry}.js';\n`, loader: 'ts' };
      });
      build.onResolve({ filter: new RegExp(`^\\./${entry}\\.js$`) }, ({ importer }) => {
        return { path: join(dirname(importer), `${entry}.ts`), sideEffects: true };
      });
    },
  };
}
