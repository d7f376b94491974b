// The size of one export in the bundle of an app for browsers, against its limit.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../root.mjs';

const { build } = createRequire(createRequire(join(root, 'package.json')).resolve('tsup'))('esbuild');

/** Most bytes, minified. */
const limits = [{ package: 'mcp-registry', name: 'isRegistryError', bytes: 1_000 }];

export async function checkBundles(report) {
  for (const limit of limits) {
    await report.check(`@x/${limit.package}: bundle of ${limit.name}`, () => checkBundle(limit));
  }
}

async function checkBundle({ package: folder, name, bytes }) {
  const packageFolder = join(root, 'packages', folder);
  const { exports } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'));
  const contents = `export { ${name} } from ${JSON.stringify(exports['.'].default)};`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: packageFolder },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    minify: true,
    write: false,
  });
  const size = outputFiles.reduce((sum, file) => sum + file.contents.length, 0);
  if (size > bytes) throw new Error(`It has ${size} bytes, and may have ${bytes}`);
}
