import { defineConfig } from 'tsup';
import { bundledLicenses } from '../../bundled-licenses.js';
import { sdkWithoutValidator } from '../../sdk-parts.js';
import { packageBuild } from '../../tsup.base.js';

export default defineConfig({
  ...packageBuild(['index', 'identity', 'sdk-v1', 'telemetry']),
  // The build contains devDependencies: less than a third of the SDK and its `zod` is used, from a hundred files.
  esbuildPlugins: [
    sdkWithoutValidator('server', 'export const { process } = globalThis;'), // importing `node:process` would open stdin
    bundledLicenses('dist/THIRD-PARTY-LICENSES.txt'),
  ],
});
