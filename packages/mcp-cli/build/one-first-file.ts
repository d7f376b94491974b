import { dirname } from 'node:path';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/**
 * Keeps all that a program loads first in one file. Left alone, the build makes a file of each part of it that some modules
 * share which are loaded later.
 *
 * @param first - Path of the module that the program begins with. Whatever is loaded later comes after it.
 */
export function oneFirstFile(first: string): Plugin {
  const name = 'one-first-file';
  const asUsual = Symbol('resolve as usual');
  return {
    name,
    setup(build) {
      build.onResolve({ filter: /^(\.|@x\/)/ }, async ({ path, kind, pluginData, ...place }) => {
        if (kind !== 'dynamic-import' || pluginData === asUsual) return undefined;
        const { path: module, external } = await build.resolve(path, { ...place, kind, pluginData: asUsual });
        if (external) return undefined;
        return { path: module, namespace: name };
      });
      build.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: first }));
      build.onLoad({ filter: /^/, namespace: name }, ({ path }) => ({
        contents: `import '${name}'; export * from ${JSON.stringify(path)};`,
        resolveDir: dirname(first),
      }));
      // Right: the import does nothing, it counts as one.
      build.initialOptions.logOverride = { 'ignored-bare-import': 'silent' };
    },
  };
}
