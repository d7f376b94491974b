import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

// Plain files in one directory, at addresses below a path that is known only when they are served.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  logLevel: 'warn',
  build: {
    outDir: fileURLToPath(new URL('../dist/dashboard', import.meta.url)),
    emptyOutDir: true,
    assetsDir: '',
    // An inlined file would be a `data:` address, which the content policy of the page refuses.
    assetsInlineLimit: 0,
    modulePreload: false,
    license: { fileName: 'THIRD-PARTY-LICENSES.md' },
    target: 'es2022',
  },
});
