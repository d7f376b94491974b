import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/** Tells the build that modules of a package do nothing but define things, so that unused ones are left out. */
export function purePackage(name: string): Plugin {
  return {
    name: `pure-${name}`,
    setup(build) {
      build.onResolve({ filter: /^/ }, async ({ path, pluginData, ...place }) => {
        const isOwn = path === name || place.importer.includes(`node_modules/${name}/`);
        if (!isOwn || pluginData === plain) return undefined;
        return { ...(await build.resolve(path, { ...place, pluginData: plain })), sideEffects: false };
      });
    },
  };
}

const plain = Symbol('resolve as usual');
