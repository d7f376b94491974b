import { defineConfig } from 'vitest/config';

// Apart from the other tests, which need Node and npm and nothing else: these need nats-server, too. They wait for leases to
// end more than they work, so there are more at once than cores.
export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.nats.ts', 'docs/snippets/test/*.nats.ts'],
    globalSetup: 'packages/mcp-fleet/test/helpers/bundle-node-program.ts',
    pool: 'forks',
    maxWorkers: 3,
    isolate: false,
    server: { deps: { external: [/\/packages\/(?!internal\/)[^/]+\/dist\//] } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
