import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { globSync } from 'tinyglobby';
import { defineConfig } from 'vitest/config';

// What replaces the clock of a process has one of its own: two such files in a row can meet each other's clocks.
const allTests = globSync('packages/*/test/**/*.test.ts', { cwd: fileURLToPath(new URL('.', import.meta.url)) });
const withFakeTime = allTests.filter((file) =>
  readFileSync(new URL(file, import.meta.url), 'utf8').includes('useFakeTimers'),
);

// Missing, so that commands in the process of a test find no config of the user who runs it, whose servers they would start.
const home = join(tmpdir(), 'mcpx-test-no-home');
const env = { HOME: home, XDG_CONFIG_HOME: join(home, '.config') };

// Child processes are real in these tests, and they wait for one another more than they work: three files at once keep two
// cores busy, and more would only have them wait for a core. Files share a process and the modules in it, for loading them
// anew for each file would take half of the time.
export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 3,
    isolate: false,
    // Fewer collections of young objects: a tenth less work.
    execArgv: ['--max-semi-space-size=64'],
    // Node loads what is built already, which takes a fourth of the time. A test that resets modules resets those of the
    // internal package, too.
    server: { deps: { external: [/\/packages\/(?!internal\/)[^/]+\/dist\//] } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      tests('internal'),
      tests('mcp-config-schema'),
      tests('mcp-client-manager', { globalSetup: 'packages/mcp-client-manager/test/helpers/bundle-programs.ts' }),
      tests('mcp-registry'),
      tests('mcp-gateway', { globalSetup: 'packages/mcp-gateway/test/helpers/bundle-programs.ts' }),
      tests('mcp-fleet'),
      tests('mcp-host-sync', { globalSetup: 'packages/mcp-host-sync/test/helpers/bundle-programs.ts' }),
      tests('mcp'),
      tests('mcp-cli', { globalSetup: 'packages/mcp-cli/test/helpers/bundle-programs.ts', env }),
      tests('test-servers'),
      project('fake-time', { include: withFakeTime, isolate: true, env }),
      project('scripts', { include: ['scripts/test/*.test.mjs', 'bench/test/*.test.mjs'] }),
      project('examples', { include: ['examples/*/test/**/*.test.ts', 'docs/snippets/test/*.test.ts'] }),
      project('types', {
        include: [],
        typecheck: {
          enabled: true,
          only: true,
          checker: fileURLToPath(new URL('node_modules/typescript-7/bin/tsc', import.meta.url)),
          include: ['packages/*/test/**/*.test-d.ts'],
          tsconfig: 'tsconfig.type-tests.json',
        },
      }),
    ],
  },
});

function tests(name: string, options = {}) {
  return project(name, { include: [`packages/${name}/test/**/*.test.ts`], exclude: withFakeTime, ...options });
}

function project(name: string, options: object) {
  return { extends: true as const, test: { name, ...options } };
}
