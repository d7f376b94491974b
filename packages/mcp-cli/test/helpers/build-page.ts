// Before the browser tests: builds the page of the dashboard from the sources as they are, once for all files.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';

const packageFolder = fileURLToPath(new URL('../../', import.meta.url));

declare module 'vitest' {
  interface ProvidedContext {
    /** Directory of the dashboard's page. */
    readonly pageDirectory: string;
  }
}

export default async function buildPageOnce(project: TestProject): Promise<() => Promise<void>> {
  const cache = join(packageFolder, 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const directory = await mkdtemp(join(cache, 'dashboard-'));
  await buildPage(directory);
  project.provide('pageDirectory', directory);
  return () => rm(directory, { recursive: true, force: true });
}

/** Builds the page into `outDir`. */
export async function buildPage(outDir: string): Promise<void> {
  await build({
    configFile: join(packageFolder, 'dashboard', 'vite.config.ts'),
    mode: 'production',
    build: { outDir },
  });
}
