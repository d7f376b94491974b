// Before the tests: bundles mcpx and its daemon from the sources as they are, once for all files, as they are published.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';
import type { TestProject } from 'vitest/node';
import { daemonWorker } from '../../build/daemon-worker.js';

const packageFolder = fileURLToPath(new URL('../../', import.meta.url));
const tsconfig = join(packageFolder, 'tsconfig.json');

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of `bin.js`, `daemon-parent.js` and `daemon-worker.js`. */
    readonly programsFolder: string;
  }
}

export default async function bundlePrograms(project: TestProject): Promise<() => Promise<void>> {
  // Below the package, so that what is not bundled is found.
  const cache = join(packageFolder, 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'programs-'));
  await build({
    config: false,
    silent: true,
    entry: ['bin', 'daemon-parent'].map((name) => join(packageFolder, 'src', `${name}.ts`)),
    outDir: folder,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    tsconfig,
    // The project's own packages are part of it: the tests start these programs hundreds of times, and loading many files
    // takes a tenth of the processor time of each. CommonJS modules are not: they would have no `require`.
    external: [
      ...['@clack/prompts', '@napi-rs/keyring', 'commander', 'quickjs-wasi', 'yaml', 'yauzl'],
      '@x/mcp-registry/code', // finds a program of its package beside itself
      /^@(nats-io|opentelemetry)\//,
    ],
  });
  await build({ config: false, silent: true, ...daemonWorker(folder), tsconfig });
  project.provide('programsFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
}
