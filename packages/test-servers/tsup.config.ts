import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/*.ts'],
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
