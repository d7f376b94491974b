import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// The tests of one group, in one process: StrykerJS runs them once for each change, and knows which of them reach it.
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: (process.env.MUTATION_TESTS ?? '').split('\n'),
    testTimeout: 60_000,
  },
});
