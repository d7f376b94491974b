import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { AskedProcess } from './asked-process.mjs';
import { packageEntry } from './own-packages.mjs';
import { clientPeers, installPeers } from './peers.mjs';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

/**
 * Makes contender processes. Each runs on the same Node beside the installed peers; with `core` it and all it starts
 * share that one processor, which takes the scheduler's luck out of the numbers. `program` is what each of them runs.
 */
export function prepareContest({ core, program = 'contender-process.mjs' } = {}) {
  const { folder, node } = installPeers(clientPeers);
  for (const file of ['contenders.mjs', program, 'answer-parent.mjs']) {
    copyFileSync(here(file), join(folder, file));
  }
  const entry = process.env.BENCH_ENTRY ?? here('../packages/mcp-client-manager/dist/index.js');
  const pinned = core === undefined ? [] : ['taskset', '-c', String(core)];
  return {
    folder,
    node,
    nodeVersion: execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1),
    servers: (count) =>
      Array.from({ length: count }, (_, number) => ({
        name: `s${number}`,
        command: node,
        args: [here('minimal-server.mjs')],
      })),
    start: (name, options = {}) =>
      new AskedProcess(join(folder, program), [name, pathToFileURL(entry).href, packageEntry('mcp-registry')], {
        cwd: folder,
        node,
        pinned,
        ...options,
      }),
  };
}
