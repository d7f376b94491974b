// Before the tests: bundles the program of a node from the sources as they are, once for all files. Each test starts several.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';
import type { TestProject } from 'vitest/node';

const packageFolder = fileURLToPath(new URL('../../', import.meta.url));

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of `node-program.js` and of `skewed-clock.js`, which is imported before it. */
    readonly nodeFolder: string;
  }
}

export default async function bundleNodeProgram(project: TestProject): Promise<() => Promise<void>> {
  // Below the package, so that what is not bundled is found.
  const cache = join(packageFolder, 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'node-'));
  await build({
    config: false,
    silent: true,
    entry: ['node-program', 'skewed-clock'].map((name) => join(packageFolder, 'test', 'faults', `${name}.ts`)),
    outDir: folder,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    tsconfig: join(packageFolder, 'tsconfig.json'),
    skipNodeModulesBundle: true,
  });
  project.provide('nodeFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
}
