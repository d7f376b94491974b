import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'tsup';

/**
 * A module of ours compiled as it is published. Loaded through tsx, each inner function would be given its name anew at
 * every call, which costs the hottest ones a good part of their time.
 *
 * @param path - From this folder.
 */
export async function loadPublished(path) {
  const outDir = await mkdtemp(join(tmpdir(), 'bench-'));
  try {
    await build({
      entry: { module: fileURLToPath(new URL(path, import.meta.url)) },
      outDir,
      format: 'esm',
      target: 'node20',
      outExtension: () => ({ js: '.mjs' }),
      config: false,
      silent: true,
    });
    return await import(pathToFileURL(join(outDir, 'module.mjs')).href);
  } finally {
    await rm(outDir, { recursive: true });
  }
}
