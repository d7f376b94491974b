import { defineConfig } from 'tsup';
import { packageBuild } from '../../tsup.base.js';

export default defineConfig(
  packageBuild([
    'app-tools',
    'async',
    'contracts',
    'digests',
    'error-payloads',
    'errors',
    'events',
    'files',
    'headers',
    'instructions',
    'json',
    'json-schema',
    'launch',
    'limits',
    'names',
    'options',
    'recording',
    'results',
    'secrets',
    'server-fields',
    'syntax',
    'telemetry',
    'telemetry-option',
    'terminal-text',
    'text',
    'tool-overrides',
    'views',
  ]),
);
