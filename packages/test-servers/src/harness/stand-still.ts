import { type ChildProcess, execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Stops a process. It does nothing from when this has settled until it receives `SIGCONT`. */
export async function standStill(child: ChildProcess): Promise<void> {
  child.kill('SIGSTOP');
  // A thread that runs elsewhere goes on for a moment after the signal was sent.
  while (!(await statesOf(child)).every((state) => state.startsWith('T')));
}

/** The state of each thread. Read without `ps` where possible: that may take seconds to start on a busy machine. */
async function statesOf({ pid }: ChildProcess): Promise<readonly string[]> {
  if (process.platform !== 'linux') return [(await run('ps', ['-o', 'stat=', '-p', `${pid}`])).stdout.trim()];
  const tasks = `/proc/${pid}/task`;
  const stats = (await readdir(tasks)).map((task) => readFile(`${tasks}/${task}/stat`, 'utf8'));
  return (await Promise.all(stats)).map((stat) => stat.slice(stat.lastIndexOf(')') + 2));
}
