import { defineConfig } from 'tsup';
import { bundledLicenses } from '../../bundled-licenses.js';
import { commonJs } from '../../common-js.js';
import { oneSharedFile } from '../../one-shared-file.js';
import { sdkWithoutValidator } from '../../sdk-parts.js';
import { packageBuild } from '../../tsup.base.js';

const entries = ['index', 'auth', 'diagnose', 'telemetry', 'testing'];
const { dts, ...build } = packageBuild([...entries, 'testing/fake-server-main']);

export default defineConfig({
  ...build,
  // Only parts of the SDK that are left out import it; the check of the packed package finds an import that stays.
  external: ['jose'],
  // devDependencies are part of the build: the SDK's HTTP transports and sign-in, and the fake clock of the testing entry.
  esbuildPlugins: [
    sdkWithoutValidator('client', 'export const CORS_IS_POSSIBLE = false;'),
    oneSharedFile('index', ['auth', 'diagnose']),
    commonJs(),
    bundledLicenses('dist/THIRD-PARTY-LICENSES.txt'),
  ],
  // Without the program that tests start: no module imports it.
  dts: { ...(typeof dts === 'object' && dts), entry: entries.map((name) => `src/${name}.ts`) },
});
