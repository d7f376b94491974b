import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Options } from 'tsup';
import { bundledLicenses } from '../../../bundled-licenses.js';
import { commonJs } from '../../../common-js.js';
import { purePackage } from '../../../pure-package.js';
import { sdkWithoutValidator } from '../../../sdk-parts.js';
import { packageBuild } from '../../../tsup.base.js';
import { loadBuiltinsLate } from './late-builtins.js';
import { oneFirstFile } from './one-first-file.js';
import { ownSources } from './own-sources.js';

const path = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));

/**
 * The daemon's worker with the project's own packages, because each further file makes its start longer. Without a second
 * pass that leaves out unused code: it would take longer than the rest of the build, and the files would be 9 % smaller.
 */
export function daemonWorker(outDir: string): Options {
  return {
    ...packageBuild([]),
    entry: [path('src/daemon-worker.ts')],
    outDir,
    dts: false,
    clean: false,
    treeshake: false,
    noExternal: [/^@x\/(?!mcp-registry\/code$)/, 'yaml'],
    external: [
      ...['@clack/prompts', '@napi-rs/keyring', 'yauzl'],
      '@x/mcp-registry/code', // starts a program of its package
      /^@(nats-io|opentelemetry)\//,
    ],
    esbuildOptions(options) {
      options.chunkNames = 'worker/[name]-[hash]';
      options.mainFields = ['module', 'main'];
      options.alias = { yaml: path('node_modules/yaml/browser/index.js') }; // ES modules, of which every export can be imported late
    },
    esbuildPlugins: [
      oneFirstFile(path('src/daemon/run-worker.ts')),
      ownSources(),
      purePackage('jsonc-parser'),
      sdkWithoutValidator('client', 'export const CORS_IS_POSSIBLE = false;'),
      sdkWithoutValidator('server', 'export const { process } = globalThis;'),
      commonJs(),
      bundledLicenses(join(outDir, 'worker', 'THIRD-PARTY-LICENSES.txt')),
    ],
    onSuccess: () => loadBuiltinsLate(outDir, /^(worker|daemon-worker).*\.js$/),
  };
}
