import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

export interface SharedFile {
  /** Modules below `src` that are kept in one file, with all that they import. */
  readonly modules: readonly string[];
  /** Modules below `src` that are loaded on their own and reach some of them: each loads the whole file. */
  readonly loaders: readonly string[];
}

/**
 * Keeps modules together in one file. Left alone, the build makes a file of each set of modules that some commands share
 * and others do not, and every file costs a command more than its contents do.
 */
export function oneSharedFile({ modules, loaders }: SharedFile): Plugin {
  return {
    name: 'one-shared-file',
    setup(build) {
      const loader = new RegExp(
        `[/\\\\]src[/\\\\](${loaders.join('|').replaceAll('.', '\\.').replaceAll('/', '[/\\\\]')})$`,
      );
      build.onLoad({ filter: loader }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        return { contents: `${text}\nimport '${name}';\n`, loader: 'ts' };
      });
      build.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: name, namespace: name }));
      build.onLoad({ filter: /^/, namespace: name }, () => ({
        contents: modules.map((module) => `import './${module}'${attributesOf(module)};\n`).join(''),
        resolveDir: resolve('src'),
      }));
      // Right: they do nothing by being imported, and only what is used of them is loaded. What counts is who reaches them.
      build.initialOptions.logOverride = { 'ignored-bare-import': 'silent' };
    },
  };
}

const name = 'one-shared-file';

function attributesOf(module: string): string {
  return module.endsWith('.json') ? " with { type: 'json' }" : '';
}
