import { spawn } from 'node:child_process';
import { win32 } from 'node:path';

/**
 * Runs a program and collects what it writes. Rejects with all of it when the program fails or takes too long.
 * @returns {Promise<{ stdout: string, stderr: string }>}
 */
export function run(command, args, { cwd, env = process.env, timeoutMs = 300_000 } = {}) {
  const started = startOf(command, args);
  const child = spawn(started.file, started.args, {
    cwd,
    env,
    shell: started.shell,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
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

/**
 * How to start a program. On Windows, npm, pnpm and npx are .cmd files, which only a shell can start, by one line.
 *
 * @returns {{ file: string, args: string[], shell: boolean }}
 */
export function startOf(command, args, platform = process.platform) {
  if (platform !== 'win32' || win32.isAbsolute(command)) return { file: command, args, shell: false };
  return { file: [command, ...args].map(wordOfLine).join(' '), args: [], shell: true };
}

/** cmd.exe reads a line once for itself and once for the batch file. No quotes keep these characters through both. */
function wordOfLine(word) {
  if (/["%\r\n\0]/.test(word)) throw new TypeError(`cmd.exe cannot pass ${JSON.stringify(word)}`);
  if (/^[\w@+=:,./\\~-]+$/.test(word)) return word;
  return `"${word.replace(/\\+$/, '$&$&')}"`; // a backslash before the quote escapes it
}
