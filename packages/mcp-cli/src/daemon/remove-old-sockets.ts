import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DaemonPaths } from './runtime-paths.js';

/** Removes sockets of killed workers. Requires the lock, and that no worker runs. */
export async function removeOldSockets({ socketDirectory, isSocketName }: DaemonPaths): Promise<void> {
  if (socketDirectory === undefined) return;
  const names = await readdir(socketDirectory).catch(() => []);
  await Promise.all(names.filter(isSocketName).map((name) => rm(join(socketDirectory, name), { force: true })));
}
