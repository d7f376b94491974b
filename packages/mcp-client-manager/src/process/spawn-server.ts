import type { ChildProcessByStdio } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import spawn from 'cross-spawn';
import { ManagerError } from '../errors.js';
import { ProcessGroup } from './process-group.js';
import { StderrTail } from './stderr-tail.js';
import { stopProcess } from './stop-ladder.js';

export interface SpawnRequest {
  readonly server: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly onStderrLine: (line: string) => void;
}

export type ExitFacts = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** A process that was really started. Its stderr is drained from the first byte on. */
export interface ServerProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly exited: Promise<ExitFacts>;
  /** Settles when the process has exited and its pipes are empty. Later than that, if a grandchild holds them open. */
  readonly drained: Promise<void>;
  stderrTail(): readonly string[];
  /** Ends the process and everything in its group. Joins a stop that is under way. */
  stop(options: { shutdownTimeoutMs: number }): Promise<void>;
}

/**
 * Starts a server's process, without a shell and in a group of its own.
 *
 * @throws {ManagerError} `command-not-found`, `command-not-executable`, `directory-not-found` or `spawn-failed`.
 */
export async function spawnServer(request: SpawnRequest): Promise<ServerProcess> {
  requireDirectory(request);
  const child = startChild(request);
  const exited = new Promise<ExitFacts>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const drained = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  const tail = new StderrTail(request.onStderrLine);
  watchPipes(child, tail);
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(spawnError(error, request)));
  });
  child.on('error', () => undefined); // a failed kill; the stop ladder looks at the group instead

  return serverProcess(child, { exited, drained, tail, server: request.server });
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** A process for which the system had no file descriptors left was not started and has no pipes, whatever its type says. */
function watchPipes(child: Partial<Pick<Child, 'stdin' | 'stdout' | 'stderr'>>, tail: StderrTail): void {
  child.stderr?.on('data', (chunk: Buffer) => tail.write(chunk));
  child.stderr?.once('end', () => tail.end());
  // A pipe that breaks because the server died is told by its exit; here it must only not crash the host.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', () => undefined);
}

function startChild(request: SpawnRequest): Child {
  try {
    return spawn(request.command, [...request.args], {
      cwd: request.cwd,
      env: { ...request.environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    }) as Child;
  } catch (error) {
    throw spawnError(error as NodeJS.ErrnoException, request); // EMFILE and the like are thrown, not emitted
  }
}

function serverProcess(
  child: Child,
  { exited, drained, tail, server }: Pick<ServerProcess, 'exited' | 'drained'> & { tail: StderrTail; server: string },
): ServerProcess {
  const pid = child.pid as number; // set, since 'spawn' was emitted
  const group = new ProcessGroup(pid);
  let stopping: Promise<void> | undefined;

  async function stop(shutdownTimeoutMs: number): Promise<void> {
    const isGone = await stopProcess({ group, exited, endStdin: () => child.stdin.end() }, { shutdownTimeoutMs });
    // A grandchild that left the group may still hold the other ends; ours must not keep the host alive.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    child.unref();
    if (!isGone) {
      throw new ManagerError('stop-failed', `Server "${server}" (process ${pid}) is still there after SIGKILL`, {
        server,
      });
    }
  }

  return {
    pid,
    stdin: child.stdin,
    stdout: child.stdout,
    exited,
    drained,
    stderrTail: () => tail.lines(),
    stop: ({ shutdownTimeoutMs }) => {
      stopping ??= stop(shutdownTimeoutMs);
      return stopping;
    },
  };
}

/** Node reports a missing working directory as a missing command; people look for the wrong thing then. */
function requireDirectory({ cwd, server }: SpawnRequest): void {
  if (cwd === undefined) return;
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new ManagerError(
    'directory-not-found',
    `Server "${server}" cannot start: its working directory ${cwd} is not a directory. Create it or change "cwd".`,
    { server },
  );
}

function spawnError(error: NodeJS.ErrnoException, { server, command }: SpawnRequest): ManagerError {
  const options = { server, cause: error };
  switch (error.code) {
    case 'ENOENT':
      return new ManagerError(
        'command-not-found',
        `Server "${server}" cannot start: the command "${command}" was not found. Install it, or give its full path.`,
        options,
      );
    case 'EACCES':
    case 'EPERM':
    case 'ENOEXEC':
      return new ManagerError(
        'command-not-executable',
        `Server "${server}" cannot start: the file "${command}" may not be executed (${error.code}). Check its mode, or start it with its interpreter.`,
        options,
      );
    default:
      return new ManagerError(
        'spawn-failed',
        `Server "${server}" cannot start: the system refused to run "${command}" (${error.code ?? error.message}).`,
        options,
      );
  }
}
