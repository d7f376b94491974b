import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withOwner } from '@x/test-servers';
import { startCommand } from './running-command.js';

export const mcpx = fileURLToPath(new URL('../../dist/bin.js', import.meta.url));

/** `mcpx` as a process of its own, which keeps its state in the project's folder. */
export interface McpxProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Resolves when that has been written, on stderr by default; rejects when the process ends without it. */
  seen(pattern: RegExp, stream?: 'stdout' | 'stderr'): Promise<RegExpExecArray>;
  /** Exit code and everything that was written. */
  ended(): Promise<{ exitCode: number | null; stdout: string; stderr: string }>;
}

export function startMcpx(folder: string, args: readonly string[], env: Record<string, string> = {}): McpxProcess {
  const child = spawn(process.execPath, [mcpx, ...args], {
    cwd: folder,
    env: withOwner({ ...process.env, ...homeIn(folder), ...env }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined); // it may be gone while it is still written to
  const written = { stdout: '', stderr: '' };
  const watchers = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
      for (const look of watchers) look();
    });
  }
  const closed = once(child, 'close') as Promise<[number | null]>;
  return {
    child,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    seen: (pattern, stream = 'stderr') =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(written[stream]);
          if (match === null) return;
          watchers.delete(look);
          resolve(match);
        };
        watchers.add(look);
        closed.then(([code]) => reject(new Error(`It ended with ${code} and wrote:\n${written.stderr}`)));
        look();
      }),
    ended: async () => ({ exitCode: (await closed)[0], ...written }),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await closed;
    },
  };
}

/** The config of the user and the state directory in the project's folder, on every platform. */
export function homeIn(folder: string): Record<string, string> {
  const home = join(folder, 'home');
  return {
    MCPX_TRUST: '1',
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, 'data'),
    LOCALAPPDATA: home,
    APPDATA: home,
  };
}

/** The same for a command in the process of the test. */
export function ioIn(folder: string, env: Record<string, string> = {}) {
  return {
    cwd: folder,
    env: withOwner({ ...process.env, ...homeIn(folder), ...env }),
    stateDirectory: join(folder, 'home', 'data', 'mcpx'),
  };
}

export interface Served {
  readonly url: string;
  /** What was made for the config, if it was. */
  token(): Promise<string>;
}

export interface ServingHere extends Served, Omit<McpxProcess, 'child'> {
  /** As SIGHUP does for a process. */
  hangUp(): void;
}

const httpArgs = ['serve', '--own-servers', '--http', '--port', '0'];

/** `mcpx serve --http` at a free port in the process of the test, once it is listening. */
export async function startServing(
  folder: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<ServingHere> {
  const command = startCommand([...httpArgs, ...args], ioIn(folder, env));
  let stdout = '';
  command.stdout.on('data', (text: Buffer) => {
    stdout += text;
  });
  return {
    ...command,
    ...(await servedBy(command)),
    stdout: () => stdout,
    ended: async () => ({ exitCode: await command.ended, stdout, stderr: command.stderr() }),
  };
}

/** The same as a process of its own. */
export async function startServingProcess(
  folder: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<McpxProcess & Served> {
  const serving = startMcpx(folder, [...httpArgs, ...args], env);
  return { ...serving, ...(await servedBy(serving)) };
}

async function servedBy({ seen }: { seen(pattern: RegExp): Promise<RegExpExecArray> }): Promise<Served> {
  const [, url = ''] = await seen(/Serving \d+ servers? at (\S+)\n/);
  return {
    url,
    token: async () => {
      const [, file = ''] = await seen(/(?:only you can read: |token is in )(.+)\n/);
      return (await readFile(file, 'utf8')).trim();
    },
  };
}
