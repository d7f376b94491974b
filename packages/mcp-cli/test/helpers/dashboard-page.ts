import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll } from 'vitest';

const packageFolder = fileURLToPath(new URL('../../', import.meta.url));
let built: Promise<string> | undefined;
let remove: (() => Promise<void>) | undefined;

/** Directory of the dashboard's page, built once a test file from the sources as they are. */
export function dashboardPage(): Promise<string> {
  built ??= buildInto();
  return built;
}

/** Builds the page into `outDir`. */
export async function buildPage(outDir: string): Promise<void> {
  await build({
    configFile: join(packageFolder, 'dashboard', 'vite.config.ts'),
    mode: 'production',
    build: { outDir },
  });
}

async function buildInto(): Promise<string> {
  const cache = join(packageFolder, 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const directory = await mkdtemp(join(cache, 'dashboard-'));
  remove = () => rm(directory, { recursive: true, force: true });
  await buildPage(directory);
  return directory;
}

afterAll(() => remove?.());
