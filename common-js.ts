import { isBuiltin } from 'node:module';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/**
 * Gives CommonJS packages that are part of the build what an ES module lacks: `require` for Node's modules, and a
 * `__filename`. The result runs as it stands, and in a bundle that an app makes of it.
 *
 * @param filename - Differs between packages: write-file-atomic names its temporary files after it.
 */
export function commonJs(filename: string): Plugin {
  const namespace = 'required-builtins';
  return {
    name: 'common-js',
    setup(build) {
      build.initialOptions.define = { ...build.initialOptions.define, __filename: JSON.stringify(filename) };
      build.onResolve({ filter: /^/ }, ({ kind, path }) =>
        kind === 'require-call' && isBuiltin(path) ? { path: path.replace(/^node:/, ''), namespace } : undefined,
      );
      build.onLoad({ filter: /^/, namespace }, ({ path }) => ({ contents: `export * from 'node:${path}';` }));
    },
  };
}
