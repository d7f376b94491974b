import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/**
 * Keeps the imports of `index.ts` as they are. Bundlers that split code would load what those files share, used or not.
 */
export const namesOnly: Plugin = {
  name: 'names-only',
  setup(build) {
    build.onResolve({ filter: /^\.\// }, ({ path, importer }) =>
      /[\\/]src[\\/]index\.ts$/.test(importer) ? { path, external: true } : undefined,
    );
  },
};
