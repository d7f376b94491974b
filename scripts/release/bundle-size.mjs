// The size of one export in the bundle of an app for browsers, against its limit.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from '../root.mjs';

const { build } = createRequire(createRequire(join(root, 'package.json')).resolve('tsup'))('esbuild');

/**
 * Most bytes of what is loaded at first, minified; with `gzip`, compressed. `lateGzip`: most bytes of all that is loaded when
 * it is first used, compressed.
 */
const limits = [
  { package: 'mcp-registry', name: 'isRegistryError', bytes: 1_000 },
  { package: 'mcp-registry', name: 'createRegistry', gzip: 39_600, lateGzip: 106_800 },
];

export async function checkBundles(report) {
  for (const limit of limits) {
    await report.check(`@x/${limit.package}: bundle of ${limit.name}`, () => checkBundle(limit));
  }
}

async function checkBundle({ package: folder, name, ...most }) {
  const sizes = await bundleSizes(folder, name);
  const above = Object.entries(most).filter(([figure, limit]) => sizes[figure] > limit);
  if (above.length === 0) return;
  throw new Error(above.map(([figure, limit]) => `${figure} is ${sizes[figure]}, and may be ${limit}`).join('\n'));
}

/** Each chunk is a file of its own to those who download it, and compressed by itself. */
async function bundleSizes(folder, name) {
  const packageFolder = join(root, 'packages', folder);
  const { exports } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'));
  const contents = `export { ${name} } from ${JSON.stringify(exports['.'].default)};`;
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: packageFolder },
    absWorkingDir: root,
    outdir: 'bundle',
    bundle: true,
    splitting: true,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    minify: true,
    write: false,
    logLevel: 'error',
  });
  const texts = new Map(outputFiles.map((file) => [file.path, file.contents]));
  const chunks = Object.entries(metafile.outputs).map(([path, { imports }]) => ({
    path,
    text: texts.get(resolve(root, path)),
    imports: imports.filter(({ kind }) => kind === 'import-statement').map((each) => each.path),
  }));
  const first = loadedWith('bundle/stdin.js', new Map(chunks.map((chunk) => [chunk.path, chunk])));
  const atFirst = chunks.filter(({ path }) => first.has(path));
  const late = chunks.filter(({ path }) => !first.has(path));
  const total = (list, sizeOf) => list.reduce((sum, { text }) => sum + sizeOf(text), 0);
  return {
    bytes: total(atFirst, (text) => text.length),
    gzip: total(atFirst, (text) => gzipSync(text).length),
    lateGzip: total(late, (text) => gzipSync(text).length),
  };
}

/** A chunk, and all that it imports other than by `import()`. */
function loadedWith(path, chunks, found = new Set()) {
  if (found.has(path) || !chunks.has(path)) return found;
  found.add(path);
  for (const imported of chunks.get(path).imports) loadedWith(imported, chunks, found);
  return found;
}
