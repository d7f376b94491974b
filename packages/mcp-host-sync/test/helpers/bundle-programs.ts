// Bundles the programs that tests start, once for all files, before the tests. A bundle starts faster than sources, and
// is readable for other users who may not read the checkout.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';
import type { TestProject } from 'vitest/node';

const packageFolder = fileURLToPath(new URL('../../', import.meta.url));

declare module 'vitest' {
  interface ProvidedContext {
    /** Path of the bundle of `test/programs/sync-once.ts`. */
    readonly syncOnce: string;
  }
}

export default async function bundlePrograms(project: TestProject): Promise<() => Promise<void>> {
  const cache = join(packageFolder, 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'programs-'));
  await build({
    config: false,
    silent: true,
    entry: { 'sync-once': join(packageFolder, 'test/programs/sync-once.ts') },
    outDir: folder,
    outExtension: () => ({ js: '.mjs' }),
    format: 'esm',
    platform: 'neutral',
    external: [/^node:/],
    noExternal: [/./],
    target: 'node20.19',
    tsconfig: join(packageFolder, 'tsconfig.json'),
    esbuildOptions(options) {
      options.mainFields = ['module', 'main'];
    },
  });
  project.provide('syncOnce', join(folder, 'sync-once.mjs'));
  return () => rm(folder, { recursive: true, force: true });
}
