import type { Options } from 'tsup';

/** What every published package is built with; a package adds its entries. */
export function packageBuild(entry: readonly string[]): Options {
  return {
    entry: entry.map((name) => `src/${name}.ts`),
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // Bundlers for other platforms recognize `node:`, and plugins of esbuild see the imports as they are written.
    removeNodeProtocol: false,
    // tsup passes `baseUrl` to its declaration step, which TypeScript 6 deprecates.
    dts: {
      compilerOptions: {
        ignoreDeprecations: '6.0',
        noEmit: false,
        noCheck: true, // `pnpm run typecheck` does, in a tenth of the time
        // Types of the private package become part of the declaration files: what is found by a path is no external package.
        paths: { '@x/internal/*': ['../internal/dist/*.d.ts'] },
      },
    },
    clean: true,
    splitting: true,
    treeshake: true,
  };
}
