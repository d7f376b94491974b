import { type ChildProcess, spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import { childEnvironment } from '../child-environment.js';

const systemPath = process.platform === 'win32' ? '' : '/bin:/usr/bin';

interface CommandPathQuery {
  readonly source: 'inherited' | 'login-shell';
  readonly env: Readonly<Record<string, string>>;
  readonly environment: NodeJS.ProcessEnv;
}

/** PATH of a server: its spec's, else the login shell's and then the host's, else the host's. */
export async function commandPath({ source, env, environment }: CommandPathQuery): Promise<string> {
  const declared = pathIn(env);
  if (declared !== undefined) return declared;
  const inherited = pathIn(environment) ?? systemPath;
  if (source === 'inherited' || process.platform === 'win32') return inherited;
  const ofShell = await loginShellPath(environment);
  const entries = [ofShell ?? '', inherited].flatMap((path) => (path === '' ? [] : path.split(delimiter)));
  return [...new Set(entries)].join(delimiter);
}

function pathIn(environment: NodeJS.ProcessEnv): string | undefined {
  if (process.platform !== 'win32') return environment.PATH;
  return Object.entries(environment).find(([name]) => name.toUpperCase() === 'PATH')?.[1];
}

const shellTimeoutMs = 5_000;
const maxOutputLength = 1_024 * 1_024;
const mark = '<mcp-path>';

const pathByShell = new Map<string, Promise<string | undefined>>();

/**
 * Each shell runs once per process, in a session of its own, without a terminal. `undefined` if it does not answer in
 * time.
 */
function loginShellPath(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const shell = environment.SHELL ?? '/bin/sh';
  const key = JSON.stringify([shell, environment.HOME]);
  const present = pathByShell.get(key) ?? requestPath(shell, environment);
  pathByShell.set(key, present);
  return present;
}

function requestPath(shell: string, inherited: NodeJS.ProcessEnv): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = startShell(shell, inherited);
    // The shell may continue, without keeping this process alive.
    const answer = (path: string | undefined): void => {
      child?.unref();
      child?.stdout?.destroy();
      timer.unref();
      resolve(path);
    };
    const timer = setTimeout(() => {
      answer(undefined);
      killGroup(child?.pid);
    }, shellTimeoutMs);
    let output = '';
    child?.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < maxOutputLength) output += text;
      const path = pathBetweenMarks(output);
      if (path !== undefined) answer(path);
    });
    child?.stdout?.once('close', () => answer(undefined));
    child?.once('exit', () => clearTimeout(timer));
    child?.once('error', () => answer(undefined));
    if (!child?.pid) answer(undefined);
  });
}

function startShell(shell: string, inherited: NodeJS.ProcessEnv): ChildProcess | undefined {
  // PATH is a list in some shells; /bin/sh prints one string.
  const script = `/bin/sh -c 'printf "${mark}%s${mark}" "$PATH"'`;
  try {
    return spawn(shell, ['-i', '-l', '-c', script], {
      cwd: '/',
      env: {
        ...childEnvironment({}, { inherited, platform: process.platform }),
        TERM: 'dumb',
        DISABLE_AUTO_UPDATE: 'true',
      },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
  } catch {
    return undefined;
  }
}

function pathBetweenMarks(output: string): string | undefined {
  const [, path, rest] = output.split(mark);
  return rest === undefined || path === '' ? undefined : path;
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {}
}
