import { defineConfig } from 'tsup';
import { bundledLicenses } from '../../bundled-licenses.js';
import { packageBuild } from '../../tsup.base.js';

const entries = ['index', 'node', 'formats'];
const { entry, dts, ...base } = packageBuild(entries);

export default defineConfig({
  ...base,
  // Files of their own, so that `index.js` only names them: a bundle of an app has those alone that it uses.
  entry: [
    ...(entry as string[]),
    'src/errors.ts',
    'src/registry.ts',
    'src/terminal-text.ts',
    'src/views/constant-surface.ts',
  ],
  dts: { ...(dts as object), entry: entry as string[] },
  // devDependencies become part of the build: a few kilobytes of each are used.
  esbuildPlugins: [bundledLicenses('dist/THIRD-PARTY-LICENSES.txt')],
});
