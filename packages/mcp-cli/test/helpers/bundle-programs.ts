// Before the tests: bundles mcpx and its daemon from the sources as they are, once for all files, as they are published.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';
import type { TestProject } from 'vitest/node';

const packageFolder = fileURLToPath(new URL('../../', import.meta.url));

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of `daemon-parent.js` and `daemon-worker.js`. */
    readonly daemonFolder: string;
    /** Folder of `bin.js` with its daemon, into which no other package was taken. */
    readonly mcpxFolder: string;
  }
}

export default async function bundlePrograms(project: TestProject): Promise<() => Promise<void>> {
  // Below the package, so that what is not bundled is found.
  const cache = join(packageFolder, 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'programs-'));
  const bundled = (name: string) => join(folder, name);
  await bundle(['daemon-parent', 'daemon-worker'], bundled('daemon'));
  await bundle(['bin', 'daemon-parent', 'daemon-worker'], bundled('mcpx'), { skipNodeModulesBundle: true });
  project.provide('daemonFolder', bundled('daemon'));
  project.provide('mcpxFolder', bundled('mcpx'));
  return () => rm(folder, { recursive: true, force: true });
}

async function bundle(names: readonly string[], outDir: string, options = {}): Promise<void> {
  await build({
    config: false,
    silent: true,
    entry: names.map((name) => join(packageFolder, 'src', `${name}.ts`)),
    outDir,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    tsconfig: join(packageFolder, 'tsconfig.json'),
    external: [/^@x\//, '@napi-rs/keyring', 'yaml'],
    ...options,
  });
}
