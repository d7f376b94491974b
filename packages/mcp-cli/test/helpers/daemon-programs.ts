import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';
import { afterAll } from 'vitest';
import type { DaemonPrograms } from '../../src/io.js';

const packageFolder = fileURLToPath(new URL('../../', import.meta.url));
let built: Promise<DaemonPrograms> | undefined;

/** The daemon's two programs, bundled once a test file from the sources as they are, as they are when published. */
export function daemonPrograms(): Promise<DaemonPrograms> {
  built ??= bundle();
  return built;
}

async function bundle(): Promise<DaemonPrograms> {
  // Below the package, so that what is not bundled is found.
  const cache = join(packageFolder, 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const outDir = await mkdtemp(join(cache, 'daemon-'));
  remove = () => rm(outDir, { recursive: true, force: true });
  await build({
    config: false,
    silent: true,
    entry: ['daemon-parent', 'daemon-worker'].map((name) => join(packageFolder, 'src', `${name}.ts`)),
    outDir,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    tsconfig: join(packageFolder, 'tsconfig.json'),
    external: [/^@x\//],
  });
  const program = (name: string): readonly string[] => [process.execPath, join(outDir, `${name}.js`)];
  return { command: ['/usr/bin/mcpx'], parent: program('daemon-parent'), worker: program('daemon-worker') };
}

let remove: (() => Promise<void>) | undefined;
afterAll(() => remove?.());
