import { defineConfig } from 'vitest/config';

// Apart from the other tests, which need Node and npm and nothing else: these need Chromium, too.
export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.browser.ts'],
    globalSetup: ['packages/mcp-cli/test/helpers/bundle-programs.ts', 'packages/mcp-cli/test/helpers/build-page.ts'],
    pool: 'forks',
    maxWorkers: 2,
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
