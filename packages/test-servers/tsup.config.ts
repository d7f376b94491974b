import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { defineConfig } from 'tsup';

const servers = readdirSync('src/servers', { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);

export default defineConfig({
  // Each server is built to `dist/<name>.js`, whatever its folder.
  entry: {
    index: 'src/index.ts',
    ...Object.fromEntries(servers.map((file) => [basename(file, '.ts'), `src/servers/${file.replaceAll('\\', '/')}`])),
  },
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  dts: {
    entry: 'src/index.ts',
    compilerOptions: {
      ignoreDeprecations: '6.0',
      noEmit: false,
      paths: { '@x/internal/*': ['../internal/dist/*.d.ts'] },
    },
  },
  clean: true,
  splitting: true,
});
