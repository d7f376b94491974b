import { execFileSync, fork } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { installPeers } from './peers.mjs';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

/**
 * Makes contender processes. Each runs on the same Node beside the installed peers; with `core` it and all it starts
 * share that one processor, which takes the scheduler's luck out of the numbers.
 */
export function prepareContest({ core } = {}) {
  const { folder, node } = installPeers();
  for (const file of ['contenders.mjs', 'contender-process.mjs']) copyFileSync(here(file), join(folder, file));
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
    start: (name) => new Contender(name, { folder, node, pinned, entry: pathToFileURL(entry).href }),
  };
}

class Contender {
  #child;

  constructor(name, { folder, node, pinned, entry }) {
    const [execPath, ...before] = [...pinned, node];
    this.#child = fork(join(folder, 'contender-process.mjs'), [name, entry], {
      cwd: folder,
      execPath,
      execArgv: [...before, '--expose-gc'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
  }

  ask(command, options = {}) {
    return new Promise((resolve, reject) => {
      const ended = (code) => reject(new Error(`The contender's process ended with code ${code} during ${command}`));
      this.#child.once('exit', ended);
      this.#child.once('message', ({ value, error }) => {
        this.#child.off('exit', ended);
        if (error) reject(new Error(error));
        else resolve(value);
      });
      this.#child.send({ command, ...options });
    });
  }

  async close() {
    await this.ask('close');
    await new Promise((resolve) => {
      this.#child.once('exit', resolve);
      this.#child.disconnect();
      setTimeout(() => this.#child.kill(), 1_000).unref(); // a contender may keep its process alive
    });
  }
}
