import { defineConfig } from 'vitest/config';

// Apart from the other tests, which need Node and npm and nothing else: these need Chromium, too.
export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.browser.ts'],
    globalSetup: ['bundle-programs', 'build-page', 'shared-browser'].map(
      (name) => `packages/mcp-cli/test/helpers/${name}.ts`,
    ),
    pool: 'forks',
    maxWorkers: 2,
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
