import { spawn } from 'node:child_process';

/**
 * Runs a program and collects what it writes. Rejects with all of it when the program fails or takes too long.
 * @returns {Promise<{ stdout: string, stderr: string }>}
 */
export function run(command, args, { cwd, env = process.env, timeoutMs = 300_000 } = {}) {
  // npm and pnpm are .cmd files on Windows, which only a shell can start.
  const shell = process.platform === 'win32';
  const child = spawn(command, args, { cwd, env, shell, stdio: ['ignore', 'pipe', 'pipe'] });
  // The option of spawn keeps its timer, and with it this process, when there is no such program.
  const timer = setTimeout(() => child.kill(), timeoutMs);
  child.once('exit', () => clearTimeout(timer)).once('error', () => clearTimeout(timer));
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) return resolve({ stdout, stderr });
      const ending = signal === null ? `exit code ${code}` : `${signal} after at most ${timeoutMs} ms`;
      reject(new Error(`${[command, ...args].join(' ')} ended with ${ending}\n${stdout}${stderr}`.trimEnd()));
    });
  });
}
