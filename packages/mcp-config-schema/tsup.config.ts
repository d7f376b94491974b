import { mkdir, writeFile } from 'node:fs/promises';
import { defineConfig } from 'tsup';
import { bundledLicenses } from '../../bundled-licenses.js';
import { namesOnly } from '../../names-only.js';
import { oneSharedFile } from '../../one-shared-file.js';
import { purePackage } from '../../pure-package.js';
import { packageBuild } from '../../tsup.base.js';
import { jsonSchemas } from './src/schema/json-schemas.js';

const entries = ['index', 'load', 'report', 'templates', 'extension', 'secrets', 'consent'];
const { entry, dts, ...build } = packageBuild(entries);

/** Modules with something that can be imported from the root. */
const named = ['check-requirements', 'errors', 'format-issue', 'parse-config'];

export default defineConfig({
  ...build,
  // Files of their own, so that `index.js` only names them: a bundle of an app has those alone that it uses.
  entry: [...(entry as string[]), ...named.map((name) => `src/${name}.ts`)],
  dts: { ...(dts as object), entry: entry as string[] },
  // Parsers are part of the build (they are devDependencies): loading their many files costs more than all the rest. Not
  // in their form for Node, which is CommonJS that nothing can be left out of.
  platform: 'neutral',
  external: [/^node:/],
  esbuildOptions(options) {
    options.mainFields = ['module', 'main'];
  },
  esbuildPlugins: [
    namesOnly,
    oneSharedFile('parse-config', ['load', 'extension']), // not the others: they need neither parsers nor zod
    purePackage('jsonc-parser'),
    bundledLicenses('dist/THIRD-PARTY-LICENSES.txt'),
  ],
  async onSuccess() {
    await mkdir('dist/schemas', { recursive: true });
    for (const [name, schema] of Object.entries(jsonSchemas())) {
      await writeFile(`dist/schemas/${name}`, `${JSON.stringify(schema, null, 2)}\n`);
    }
  },
});
