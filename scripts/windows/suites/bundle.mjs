// Bundles test files, so that Node for Windows runs them under Wine, where links of pnpm and native bindings do not work.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';
import { root } from '../../root.mjs';

/**
 * @param {string[]} files - Relative to the repository.
 * @param {string} folder - Gets the bundles.
 * @param {(path: string) => string} urlOf - URL of a file of the repository, as the system that runs the tests spells it.
 * @returns {Promise<{ runner: string, bundles: Map<string, string> }>} The program that runs them, and the bundle of each file.
 */
export async function bundleSuites(files, folder, urlOf) {
  const names = new Map(files.map((file, index) => [file, `test-${index}`]));
  await build({
    ...common,
    entry: {
      'run-files': fileURLToPath(new URL('run-files.mjs', import.meta.url)),
      ...Object.fromEntries(Array.from(names, ([file, name]) => [name, join(root, file)])),
    },
    outDir: folder,
    outExtension: () => ({ js: '.mjs' }),
    esbuildPlugins: [sourceUrls(urlOf)],
  });
  return {
    runner: join(folder, 'run-files.mjs'),
    bundles: new Map(Array.from(names, ([file, name]) => [file, join(folder, `${name}.mjs`)])),
  };
}

/**
 * Bundles programs that find one another in their folder.
 *
 * @param {string[]} files - Relative to the repository.
 */
export async function bundlePrograms(files, folder) {
  await build({
    ...common,
    entry: files.map((file) => join(root, file)),
    outDir: folder,
    outExtension: () => ({ js: '.js' }),
  });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
}

/** @type {import('tsup').Options} */
const common = {
  config: false,
  silent: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  splitting: true,
  removeNodeProtocol: false,
  // Native bindings are those of this system; a test that needs one fails.
  noExternal: [/^(?!node:|@napi-rs\/)/],
  external: [/^node:/, /^@napi-rs\//],
  tsconfig: join(root, 'tsconfig.base.json'),
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
  },
};

/** Modules find their fixtures from where they were written, not from the bundle. */
function sourceUrls(urlOf) {
  return {
    name: 'source-urls',
    setup(esbuild) {
      esbuild.onLoad({ filter: /packages[\\/][^.].*\.(ts|js|mjs)$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        if (!text.includes('import.meta.url') || path.includes('node_modules')) return undefined;
        const contents = text.replaceAll('import.meta.url', JSON.stringify(urlOf(path)));
        return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' };
      });
    },
  };
}
