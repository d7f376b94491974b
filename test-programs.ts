import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Options } from 'tsup';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the programs that `testPrograms` has bundled for the tests of a package. */
    readonly programsFolder: string;
  }
}

/**
 * Global setup for the tests of a package: bundles the programs that they start from the sources as they are, once for all
 * files. A loader of TypeScript in each process takes longer than most of them run.
 *
 * @param packageUrl - Folder of the package, which `entry` is relative to.
 * @param further - A second build into the folder of the programs.
 */
export function testPrograms(
  packageUrl: URL,
  { entry, ...options }: Options & { entry: readonly string[] },
  further?: (folder: string) => Options,
) {
  const packageFolder = fileURLToPath(packageUrl);
  const shared: Options = { config: false, silent: true, tsconfig: join(packageFolder, 'tsconfig.json') };
  return async (project: TestProject): Promise<() => Promise<void>> => {
    // Below the package, so that what is not bundled is found.
    const cache = join(packageFolder, 'node_modules', '.cache');
    await mkdir(cache, { recursive: true });
    const folder = await mkdtemp(join(cache, 'programs-'));
    await build({
      ...shared,
      entry: entry.map((file) => join(packageFolder, file)),
      outDir: folder,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      ...options,
    });
    if (further) await build({ ...shared, ...further(folder) });
    project.provide('programsFolder', folder);
    return () => rm(folder, { recursive: true, force: true });
  };
}
