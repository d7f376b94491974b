import { defineConfig } from 'tsup';
import { packageBuild } from '../../tsup.base.js';

export default defineConfig({
  ...packageBuild(['index', 'bin', 'daemon-parent', 'daemon-worker']),
  // The page of the dashboard is built before, into the same directory.
  clean: ['!dashboard/**'],
});
