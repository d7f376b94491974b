import { type ChildProcess, execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Suspends a process until it receives `SIGCONT`. Resolves when all its threads have stopped. */
export async function standStill(child: ChildProcess): Promise<void> {
  child.kill('SIGSTOP');
  // Threads may run on for a moment after the signal.
  while (!(await statesOf(child)).every((state) => state.startsWith('T')));
}

/** State of each thread. Avoids `ps`, which may take seconds on a busy machine. */
async function statesOf({ pid }: ChildProcess): Promise<readonly string[]> {
  if (process.platform !== 'linux') return [(await run('ps', ['-o', 'stat=', '-p', `${pid}`])).stdout.trim()];
  const tasks = `/proc/${pid}/task`;
  const stats = (await readdir(tasks)).map((task) => readFile(`${tasks}/${task}/stat`, 'utf8'));
  return (await Promise.all(stats)).map((stat) => stat.slice(stat.lastIndexOf(')') + 2));
}
