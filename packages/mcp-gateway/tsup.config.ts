import { defineConfig, type Options } from 'tsup';
import { bundledLicenses } from '../../bundled-licenses.js';
import { packageBuild } from '../../tsup.base.js';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/**
 * Replaces the SDK's part for Node: a validator of JSON Schema, which only its own `McpServer` uses, and `node:process`, whose
 * import opens stdin. The build fails if the SDK takes anything else from there.
 */
const sdkWithoutValidator: Plugin = {
  name: 'sdk-without-validator',
  setup(build) {
    const namespace = 'sdk-without-validator';
    build.onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, ({ path }) => ({ path, namespace }));
    build.onLoad({ filter: /^/, namespace }, () => ({
      contents: 'export class DefaultJsonSchemaValidator {} export const { process } = globalThis;',
    }));
  },
};

export default defineConfig({
  ...packageBuild(['index', 'identity', 'sdk-v1', 'telemetry']),
  // devDependencies are part of the build: of the SDK and its `zod`, a hundred files, less than a third is used.
  esbuildPlugins: [sdkWithoutValidator, bundledLicenses('dist/THIRD-PARTY-LICENSES.txt')],
});
