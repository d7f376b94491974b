import { mkdir, writeFile } from 'node:fs/promises';
import { defineConfig } from 'tsup';
import { bundledLicenses } from '../../bundled-licenses.js';
import { oneSharedFile } from '../../one-shared-file.js';
import { purePackage } from '../../pure-package.js';
import { packageBuild } from '../../tsup.base.js';
import { jsonSchemas } from './src/schema/json-schemas.js';

export default defineConfig({
  ...packageBuild(['index', 'load', 'extension', 'secrets', 'consent']),
  // Parsers are part of the build (they are devDependencies): loading their many files costs more than all the rest. Not
  // in their form for Node, which is CommonJS that nothing can be left out of.
  platform: 'neutral',
  external: [/^node:/],
  esbuildOptions(options) {
    options.mainFields = ['module', 'main'];
  },
  esbuildPlugins: [
    oneSharedFile('index', ['load', 'extension']), // not secrets and consent: they need neither parsers nor zod
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
