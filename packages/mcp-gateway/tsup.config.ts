import { defineConfig } from 'tsup';
import { packageBuild } from '../../tsup.base.js';

export default defineConfig(packageBuild(['index', 'identity', 'sdk-v1', 'telemetry']));
