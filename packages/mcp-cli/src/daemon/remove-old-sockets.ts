import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DaemonPaths } from './runtime-paths.js';

/** Takes away what workers have left behind that were killed. To be called by the lock's holder while none runs. */
export async function removeOldSockets({ socketDirectory, isSocketName }: DaemonPaths): Promise<void> {
  if (socketDirectory === undefined) return;
  const names = await readdir(socketDirectory).catch(() => []);
  await Promise.all(names.filter(isSocketName).map((name) => rm(join(socketDirectory, name), { force: true })));
}
