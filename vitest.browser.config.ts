import { defineConfig } from 'vitest/config';
import shared from './vitest.config.js';

// Apart from the other tests, which need Node and npm and nothing else: these need Chromium, too.
export default defineConfig({
  test: { ...shared.test, include: ['packages/*/test/**/*.browser.ts'], typecheck: { enabled: false } },
});
