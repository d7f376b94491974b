import { defineConfig } from 'tsup';
import { bundledLicenses } from '../../bundled-licenses.js';
import { purePackage } from '../../pure-package.js';
import { packageBuild } from '../../tsup.base.js';

export default defineConfig({
  ...packageBuild(['index', 'edit']),
  // Parsers are devDependencies and part of the build, as ES modules: loading their many files costs more than all the rest.
  platform: 'neutral',
  external: [/^node:/],
  esbuildOptions(options) {
    options.mainFields = ['module', 'main'];
  },
  esbuildPlugins: [purePackage('jsonc-parser'), bundledLicenses('dist/THIRD-PARTY-LICENSES.txt')],
});
