import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, platform, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** When, from which sources and on what a script ran. Of the machine only what matters for a number: no name of it. */
export function surroundings() {
  return {
    measured: new Date().toISOString().slice(0, 10),
    commit: commit(),
    machine: machine(),
    node: process.versions.node,
  };
}

function machine() {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  return [cpus()[0]?.model.trim() ?? 'unknown processor', `${availableParallelism()} cores`, memory, system()].join(
    ', ',
  );
}

function system() {
  try {
    const name = /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync('/etc/os-release', 'utf8'));
    if (name !== null) return `${name[1]} ${arch()}`;
  } catch {
    // Only Linux has this file.
  }
  return `${platform()} ${arch()}`;
}

/** `undefined` outside of a Git checkout. Results and the page, which change while all is measured, do not count. */
function commit() {
  try {
    const head = git('rev-parse', '--short=10', 'HEAD');
    const changed = git('status', '--porcelain', '--', '.', ':!bench/results', ':!docs/benchmarks.md');
    return changed === '' ? head : `${head} with changes`;
  } catch {
    return undefined;
  }
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}
