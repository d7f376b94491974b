import { spawn } from 'node:child_process';

/**
 * Runs a host program and returns all that it printed. It has to print or to run until it is stopped.
 *
 * @param {{ cwd: string, env: object, staysFor?: number, isDone?: () => Promise<boolean> }} options - A program that does
 * not end by itself is stopped with its children after `staysFor` milliseconds, or once `isDone`.
 * @returns {Promise<string>}
 */
export async function runHost(file, words, { cwd, env, staysFor, isDone = async () => false }) {
  const child = spawn(file, words, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const stop = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  const ended = new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  const limit = setTimeout(stop, staysFor ?? 120_000);
  const watch = staysFor === undefined ? undefined : setInterval(async () => (await isDone()) && stop(), 500);
  try {
    const code = await ended;
    if (code !== 0 && code !== null && output === '')
      throw new Error(`${words.join(' ')} ended with ${code} and no output`);
    return output;
  } finally {
    clearTimeout(limit);
    clearInterval(watch);
    stop();
  }
}
