import { defineConfig } from 'tsup';
import { bundledLicenses } from '../../bundled-licenses.js';
import { namesOnly } from '../../names-only.js';
import { oneSharedFile } from '../../one-shared-file.js';
import { packageBuild } from '../../tsup.base.js';

const entries = [
  ...['index', 'node', 'formats', 'roles', 'audit', 'trust', 'typescript', 'sources', 'search', 'code'],
  'interceptors',
];
const { entry, dts, ...base } = packageBuild(entries);

/** Modules with something that can be imported from the root. */
const named = ['errors', 'preload', 'registry', 'views/constant-surface'];

/**
 * Modules that are useless without the registry. Those that load late are not among them: bundlers that split code load what such
 * modules share at first, used or not.
 */
const withRegistry = [
  'formats',
  'node',
  'preload',
  'pins/apply-pin-changes',
  'pins/memory-pin-store',
  'views/constant-surface',
];

export default defineConfig({
  ...base,
  // Files of their own, so that `index.js` only names them: a bundle of an app has those alone that it uses.
  entry: [...(entry as string[]), ...[...named, 'code/sandbox/sandbox-main'].map((name) => `src/${name}.ts`)],
  dts: { ...(dts as object), entry: entry as string[] },
  // devDependencies become part of the build: a few kilobytes of each are used.
  esbuildPlugins: [
    namesOnly,
    oneSharedFile('registry', withRegistry),
    bundledLicenses('dist/THIRD-PARTY-LICENSES.txt'),
  ],
});
