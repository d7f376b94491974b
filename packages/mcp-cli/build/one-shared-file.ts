import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/**
 * Keeps modules together in one file. Left alone, the build makes a file of each set of modules that some commands share
 * and others do not, and every file costs a command more than its contents do. So each module that is loaded on its own
 * loads the whole file.
 *
 * @param modules - Below `src`. Kept in one file, with all that they import.
 */
export function oneSharedFile(modules: readonly string[]): Plugin {
  return {
    name,
    setup(build) {
      const loaders = lateModules(resolve('src'));
      build.onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, async ({ path }) => {
        if (!loaders.has(path)) return undefined;
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

/** Paths of the modules that another one imports when it runs, among them all commands. */
function lateModules(folder: string): ReadonlySet<string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const late = files.flatMap((file) => {
    const path = join(folder, file);
    const imports = readFileSync(path, 'utf8').matchAll(/\bimport\(\s*'(\.[^']+)\.js'/g);
    return Array.from(imports, ([, module]) => resolve(dirname(path), `${module}.ts`));
  });
  return new Set(late);
}

function attributesOf(module: string): string {
  return module.endsWith('.json') ? " with { type: 'json' }" : '';
}
