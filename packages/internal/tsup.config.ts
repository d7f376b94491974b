import { defineConfig } from 'tsup';
import { packageBuild } from '../../tsup.base.js';

export default defineConfig(
  packageBuild(['async', 'contracts', 'errors', 'events', 'files', 'json', 'json-schema', 'limits', 'names']),
);
