import { type ChildProcess, spawn } from 'node:child_process';
import { childEnvironment } from '../child-environment.js';

/** A shell whose start-up files take longer than this, in milliseconds, is given up. */
const timeoutMs = 5_000;
const maxOutputLength = 1_024 * 1_024;
const mark = '<mcp-path>';

const asked = new Map<string, Promise<string | undefined>>();

/**
 * The PATH that the user's login shell sets up, with what its start-up files add. `undefined` when it does not say so in
 * time. Each shell is asked once in the life of this process, in the background and in a session of its own: it has no
 * terminal that it could stop us over.
 */
export function loginShellPath(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const shell = environment.SHELL ?? '/bin/sh';
  const key = JSON.stringify([shell, environment.HOME]);
  const present = asked.get(key) ?? askShell(shell, environment);
  asked.set(key, present);
  return present;
}

function askShell(shell: string, inherited: NodeJS.ProcessEnv): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = startShell(shell, inherited);
    // Once it has answered it may take its time, and neither that nor what it started keeps the host alive.
    const answer = (path: string | undefined): void => {
      child?.unref();
      child?.stdout?.destroy();
      timer.unref();
      resolve(path);
    };
    const timer = setTimeout(() => {
      answer(undefined);
      killGroup(child?.pid);
    }, timeoutMs);
    let output = '';
    child?.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < maxOutputLength) output += text;
      const path = pathIn(output);
      if (path !== undefined) answer(path);
    });
    child?.stdout?.once('close', () => answer(undefined));
    child?.once('exit', () => clearTimeout(timer));
    child?.once('error', () => answer(undefined));
    if (!child?.pid) answer(undefined);
  });
}

function startShell(shell: string, inherited: NodeJS.ProcessEnv): ChildProcess | undefined {
  // /bin/sh prints it, since PATH is a list with a syntax of its own in some shells.
  const script = `/bin/sh -c 'printf "${mark}%s${mark}" "$PATH"'`;
  try {
    return spawn(shell, ['-i', '-l', '-c', script], {
      cwd: '/',
      env: {
        ...childEnvironment({}, { inherited, platform: process.platform }),
        TERM: 'dumb',
        DISABLE_AUTO_UPDATE: 'true', // oh-my-zsh would ask a question
      },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
  } catch {
    return undefined; // no processes or files left: the server's own start will tell
  }
}

function pathIn(output: string): string | undefined {
  const [, path, rest] = output.split(mark);
  return rest === undefined || path === '' ? undefined : path;
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
