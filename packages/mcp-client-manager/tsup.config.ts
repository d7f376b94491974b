import { defineConfig } from 'tsup';
import { packageBuild } from '../../tsup.base.js';

const { dts, ...build } = packageBuild(['index', 'testing', 'testing/fake-server-main']);

export default defineConfig({
  ...build,
  // The last one is a program: nobody imports it.
  dts: { ...(typeof dts === 'object' && dts), entry: ['src/index.ts', 'src/testing.ts'] },
});
