import { type ChildProcessByStdio, type SpawnOptions, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { win32 } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { ManagerError } from '../errors.js';
import { lookUp } from './command/check-command.js';
import { type WindowsLaunch, type WindowsSystem, windowsLaunch } from './command/windows-launch.js';
import { ProcessGroup } from './process-group.js';
import { requireDescriptors, spawnDescriptors } from './require-descriptors.js';
import { spawnError } from './spawn-error.js';
import { StderrTail } from './stderr/stderr-tail.js';
import { stopProcess } from './stop-ladder.js';

export interface SpawnRequest {
  readonly server: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where its command is looked for: PATH of its environment. */
  readonly path: string;
  /** Whose PATH that is. */
  readonly source: 'inherited' | 'login-shell';
  readonly cwd: string | undefined;
  readonly redact?: ((line: string) => string) | undefined;
  readonly onStderrLine: (line: string) => void;
  /** What PATH and the usual places of programs are told from, for the error. */
  readonly inherited: NodeJS.ProcessEnv;
  readonly watch?: LaunchWatch | undefined;
}

/** Is told of a process in the same turns in which it comes and goes, so that no moment is left for the host to die in. */
export interface LaunchWatch {
  /** Right before the process is started. */
  starting(): void;
  /** The system has refused to start it. */
  notStarted(): void;
  started(pid: number): void;
  /** Something of its group has outlived all that was done to end it. */
  stuck?(pid: number, group: ProcessGroup): void;
  /** Nothing of its group is left. A stop waits for this. */
  gone(): Promise<void>;
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
  /** When it wrote to stderr last, by `performance.now()`; 0 before the first time. */
  readonly lastStderrAt: number;
  /** Ends the process and everything in its group. Joins a stop that is under way. */
  stop(options: { shutdownTimeoutMs: number }): Promise<void>;
}

/**
 * Starts a server's process, without a shell and in a group of its own.
 *
 * @throws {ManagerError} `command-not-found`, `command-not-executable`, `directory-not-found` or `spawn-failed`.
 */
export async function spawnServer(request: SpawnRequest): Promise<ServerProcess> {
  const child = startChild(request);
  // From here on it is ended with the host, even if nobody gets to hear of it.
  const group = child.pid === undefined ? undefined : new ProcessGroup(child.pid);
  const exited = new Promise<ExitFacts>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const drained = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  const tail = new StderrTail({ onLine: request.onStderrLine, redact: request.redact });
  watchPipes(child, tail);
  const refusal = await refusalOf(child);
  if (refusal) throw explained(refusal, request);
  child.on('error', () => undefined); // a failed kill; the stop ladder looks at the group instead
  if (!group) throw new Error('unreachable: a process that was started has an id');
  return serverProcess(child, { group, exited, drained, tail, request });
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** A process for which the system had no file descriptors left was not started and has no pipes, whatever its type says. */
function watchPipes(child: Partial<Pick<Child, 'stdin' | 'stdout' | 'stderr'>>, tail: StderrTail): void {
  child.stderr?.on('data', (chunk: Buffer) => tail.write(chunk));
  child.stderr?.once('end', () => tail.end());
  // A pipe that breaks because the server died is told by its exit; here it must only not crash the host.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', () => undefined);
}

/** Keeps nothing of the request: what listens to a child lives as long as the child, and an environment is large. */
function refusalOf(child: Child): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(undefined));
    child.once('error', resolve);
  });
}

/** A batch file or server that calls a program by its name does not get the current directory's. The value does not matter. */
const ofLaunch = process.platform === 'win32' ? { NoDefaultCurrentDirectoryInExePath: '1' } : {};

/** In one turn with its watch: between a process that exists and one that is known no moment is left. */
function startChild(request: SpawnRequest): Child {
  const { cwd, environment, watch } = request;
  refuseNul(request);
  const launch = launchOf(request);
  watch?.starting();
  let child: Child | undefined;
  try {
    const options: SpawnOptions = {
      cwd,
      env: { ...ofLaunch, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: launch.isVerbatim,
    };
    requireDescriptors(spawnDescriptors);
    child = spawn(launch.file, [...launch.args], options) as Child;
  } catch (error) {
    throw explained(error as NodeJS.ErrnoException, request); // some errors are thrown, the others emitted
  } finally {
    if (child?.pid === undefined) watch?.notStarted();
    else watch?.started(child.pid);
  }
  return child;
}

/**
 * Refuses what Node would refuse with the text itself in its error, which may be a secret.
 *
 * @throws {ManagerError} `spawn-failed`
 */
function refuseNul({ server, command, args, cwd = '', environment }: SpawnRequest): void {
  const texts = { command, cwd, ...prefixed('args', args), ...prefixed('env', environment) };
  const [place] = Object.entries(texts).find(([, text]) => text?.includes('\0')) ?? [];
  if (place === undefined) return;
  const cause = Object.assign(new Error(`${place} has a NUL character`), { code: 'ERR_INVALID_ARG_VALUE' });
  const message = `Server "${server}" cannot start: "${place}" has a NUL character in it, which no system passes on. Remove it.`;
  throw new ManagerError('spawn-failed', message, { server, cause });
}

function prefixed(prefix: string, values: object): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [`${prefix}.${key}`, value]));
}

type Launch = Exclude<WindowsLaunch, { refusal: string }>;

/**
 * On POSIX the system finds the program on PATH. Windows would look into the current directory first, so it gets the file that is meant.
 *
 * @throws {ManagerError} As `spawnServer`.
 */
function launchOf(request: SpawnRequest): Launch {
  const { server, command, args } = request;
  if (process.platform !== 'win32') return { file: command, args, isVerbatim: false };
  const found = lookUp(request);
  if (found.status !== 'found') {
    throw spawnError(Object.assign(new Error(`spawn ${command} ENOENT`), { code: 'ENOENT' }), request, found);
  }
  const launch = windowsLaunch({ file: found.file, args }, windowsHost(request));
  if (!('refusal' in launch)) return launch;
  throw new ManagerError(
    'spawn-failed',
    `Server "${server}" cannot start: "${found.file}" was not run, because ${launch.refusal}. Name the program that it runs, such as node with the script.`,
    { server },
  );
}

function windowsHost(request: SpawnRequest): WindowsSystem {
  const systemRoot = request.inherited.SystemRoot ?? request.inherited.SYSTEMROOT ?? 'C:\\Windows';
  const node = lookUp({ ...request, command: 'node.exe' });
  return {
    commandInterpreter: win32.join(systemRoot, 'System32', 'cmd.exe'),
    node: node.status === 'found' ? node.file : undefined,
    isFile: (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false,
  };
}

function explained(error: NodeJS.ErrnoException, request: SpawnRequest): ManagerError {
  delete (error as { spawnargs?: unknown }).spawnargs; // there may be secrets among them
  return spawnError(error, request, lookUp(request));
}

interface Spawned extends Pick<ServerProcess, 'exited' | 'drained'> {
  readonly group: ProcessGroup;
  readonly tail: StderrTail;
  readonly request: SpawnRequest;
}

function serverProcess(child: Child, { group, exited, drained, tail, request }: Spawned): ServerProcess {
  const pid = child.pid as number; // set, since 'spawn' was emitted
  const { server, watch } = request;
  let stopping: Promise<void> | undefined;

  async function stop(shutdownTimeoutMs: number): Promise<void> {
    const isGone = await stopProcess({ group, exited, endStdin: () => child.stdin.end() }, { shutdownTimeoutMs });
    // A grandchild that left the group may still hold the other ends; ours must not keep the host alive.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    child.unref();
    if (isGone) return watch?.gone();
    watch?.stuck?.(pid, group);
    throw new ManagerError('stop-failed', `Server "${server}" (process ${pid}) is still there after SIGKILL`, {
      server,
    });
  }

  return {
    pid,
    stdin: child.stdin,
    stdout: child.stdout,
    exited,
    drained,
    stderrTail: () => tail.lines(),
    get lastStderrAt() {
      return tail.lastByteAt;
    },
    stop: ({ shutdownTimeoutMs }) => {
      stopping ??= stop(shutdownTimeoutMs);
      return stopping;
    },
  };
}
