import { defineConfig } from 'tsup';
import { bundledLicenses } from '../../bundled-licenses.js';
import { packageBuild } from '../../tsup.base.js';

const { dts, ...build } = packageBuild(['index', 'testing', 'testing/fake-server-main']);

type Plugin = NonNullable<(typeof build)['esbuildPlugins']>[number];

/** Lets CommonJS that is part of the build `require` modules of Node, for which an ES module has no `require`. */
const requiredBuiltins: Plugin = {
  name: 'required-builtins',
  setup(build) {
    const namespace = 'required-builtins';
    build.onResolve({ filter: /^(util|timers|timers\/promises|perf_hooks)$/ }, ({ kind, path }) =>
      kind === 'require-call' ? { path, namespace } : undefined,
    );
    build.onLoad({ filter: /./, namespace }, ({ path }) => ({ contents: `export * from 'node:${path}';` }));
  },
};

export default defineConfig({
  ...build,
  // The fake clock of the testing entry is a devDependency and part of the build: hosts need not install it.
  esbuildPlugins: [requiredBuiltins, bundledLicenses('dist/THIRD-PARTY-LICENSES.txt')],
  // The last one is a program: nobody imports it.
  dts: { ...(typeof dts === 'object' && dts), entry: ['src/index.ts', 'src/testing.ts'] },
});
