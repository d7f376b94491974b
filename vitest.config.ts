import { defineConfig } from 'vitest/config';

// Child processes are real in these tests, and they wait for one another more than they work: three files at once keep two
// cores busy, and more would only have them wait for a core.
export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', 'examples/*/test/**/*.test.ts'],
    typecheck: { enabled: true, include: ['packages/*/test/**/*.test-d.ts'], tsconfig: 'tsconfig.json' },
    pool: 'forks',
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
