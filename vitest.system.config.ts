import { defineConfig } from 'vitest/config';

// Apart from the other tests, which need Node and npm and nothing else: these need programs of the system, such as HAProxy, nginx and sshd.
export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.system.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
