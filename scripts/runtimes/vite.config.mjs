// #region config
import { defineConfig } from 'vite';

export default defineConfig({
  build: { ssr: 'app.mjs', target: 'node20' },
  ssr: { noExternal: true, external: ['@napi-rs/keyring'] },
});
// #endregion config
