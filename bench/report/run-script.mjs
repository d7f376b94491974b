import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('..', import.meta.url));
const groups = process.platform !== 'win32';

/**
 * Runs one script of this folder, with what it prints passed on as it comes. After the time limit, or when `signal`
 * aborts, it is ended together with all that it has started.
 *
 * @returns {Promise<{ output: string, seconds: number, failure: string | undefined }>}
 */
export function runScript(file, args, { limitMinutes, nodeOptions = [], signal }) {
  const from = performance.now();
  const child = spawn(process.execPath, [...nodeOptions, file, ...args], {
    cwd: folder,
    detached: groups, // a group of its own, which can be ended as a whole
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  let stoppedFor;
  const stop = (why) => {
    stoppedFor ??= why;
    end(child, 'SIGTERM');
    setTimeout(() => end(child, 'SIGKILL'), 5_000).unref();
  };
  const limit = setTimeout(() => stop(`it took longer than ${limitMinutes} minutes`), limitMinutes * 60_000);
  const interrupted = () => stop('it was interrupted');
  signal?.addEventListener('abort', interrupted, { once: true });
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
    process.stdout.write(text);
  });
  child.once('exit', () => end(child, 'SIGKILL')); // what is left of the group would keep the pipe open
  return new Promise((resolve) => {
    const done = (failure) => {
      clearTimeout(limit);
      signal?.removeEventListener('abort', interrupted);
      resolve({ output, seconds: (performance.now() - from) / 1_000, failure });
    };
    child.once('error', (error) => done(error.message));
    child.once('close', (code, killed) =>
      done(stoppedFor ?? (code === 0 ? undefined : `it ended with ${code ?? killed}`)),
    );
  });
}

function end(child, signal) {
  if (child.pid === undefined) return;
  try {
    if (groups) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
