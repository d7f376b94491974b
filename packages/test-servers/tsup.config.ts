import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { defineConfig, type Options } from 'tsup';

const servers = readdirSync('src/servers', { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);

const common: Options = { format: 'esm', platform: 'node', target: 'node20.19' };

export default defineConfig([
  {
    ...common,
    entry: { index: 'src/index.ts' },
    dts: {
      entry: 'src/index.ts',
      compilerOptions: {
        ignoreDeprecations: '6.0',
        noEmit: false,
        noCheck: true, // `pnpm run typecheck` does
        paths: { '@x/internal/*': ['../internal/dist/*.d.ts'] },
      },
    },
  },
  {
    ...common,
    // Each server is built to `dist/<name>.js`, whatever its folder.
    entry: Object.fromEntries(
      servers.map((file) => [basename(file, '.ts'), `src/servers/${file.replaceAll('\\', '/')}`]),
    ),
    // Tests start them thousands of times: with the SDK inside, each start takes a quarter less work.
    noExternal: [/.*/],
    minifySyntax: true,
    splitting: true,
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
  },
]);
