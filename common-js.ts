import { isBuiltin } from 'node:module';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/**
 * Gives CommonJS packages that are part of the build what an ES module lacks: `require` for Node's modules. The result
 * runs as it stands, and in a bundle that an app makes of it.
 */
export function commonJs(): Plugin {
  const namespace = 'required-builtins';
  return {
    name: 'common-js',
    setup(build) {
      build.onResolve({ filter: /^/ }, ({ kind, path }) =>
        kind === 'require-call' && isBuiltin(path) ? { path: path.replace(/^node:/, ''), namespace } : undefined,
      );
      build.onLoad({ filter: /^/, namespace }, ({ path }) => ({ contents: `export * from 'node:${path}';` }));
    },
  };
}
