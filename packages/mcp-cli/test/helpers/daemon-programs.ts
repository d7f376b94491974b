import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';
import { afterAll } from 'vitest';
import type { DaemonPrograms } from '../../src/io.js';

const packageFolder = fileURLToPath(new URL('../../', import.meta.url));
let daemon: Promise<DaemonPrograms> | undefined;
let everything: Promise<string> | undefined;

/** The daemon's two programs, bundled once a test file from the sources as they are, as they are when published. */
export function daemonPrograms(): Promise<DaemonPrograms> {
  daemon ??= bundle(['daemon-parent', 'daemon-worker']).then((outDir) => {
    const program = (name: string): readonly string[] => [process.execPath, join(outDir, `${name}.js`)];
    return { command: ['/usr/bin/mcpx'], parent: program('daemon-parent'), worker: program('daemon-worker') };
  });
  return daemon;
}

/** Path of `mcpx` itself, bundled in the same way together with its daemon. */
export function mcpxProgram(): Promise<string> {
  everything ??= bundle(['bin', 'daemon-parent', 'daemon-worker'], { alone: true }).then((outDir) =>
    join(outDir, 'bin.js'),
  );
  return everything;
}

/**
 * @param options.alone - Takes no other package into the bundle.
 * @returns The folder of the programs.
 */
async function bundle(names: readonly string[], { alone = false } = {}): Promise<string> {
  // Below the package, so that what is not bundled is found.
  const cache = join(packageFolder, 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const outDir = await mkdtemp(join(cache, 'daemon-'));
  folders.push(outDir);
  await build({
    config: false,
    silent: true,
    entry: names.map((name) => join(packageFolder, 'src', `${name}.ts`)),
    outDir,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    tsconfig: join(packageFolder, 'tsconfig.json'),
    skipNodeModulesBundle: alone,
    external: [/^@x\//, '@napi-rs/keyring'],
  });
  return outDir;
}

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});
