import { type ChildProcessByStdio, type SpawnOptions, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { win32 } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import {
  ProcessGroup,
  type WindowsLaunch,
  type WindowsSystem,
  windowsLaunch,
  windowsVariables,
} from '@x/internal/processes';
import { ManagerError } from '../errors.js';
import { resolveCommand } from './command/check-command.js';
import { requireDescriptors, spawnDescriptors } from './descriptors.js';
import { spawnError } from './spawn-error.js';
import { StderrTail } from './stderr/stderr-tail.js';
import { stopProcess } from './stop-ladder.js';

interface SpawnRequest {
  readonly server: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly path: string;
  readonly source: 'inherited' | 'login-shell';
  readonly cwd: string | undefined;
  readonly redact?: ((line: string) => string) | undefined;
  readonly onStderrLine: (line: string) => void;
  readonly inherited: NodeJS.ProcessEnv;
  readonly watch?: LaunchWatch | undefined;
}

/** Called in the same turn as the event, so that a kill of this process cannot come between. */
export interface LaunchWatch {
  starting(): void;
  notStarted(): void;
  started(pid: number): void;
  stuck?(pid: number, group: ProcessGroup): void;
  /** All processes of the group have ended. A stop waits for this. */
  gone(): Promise<void>;
}

export type ExitFacts = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export interface ServerProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly exited: Promise<ExitFacts>;
  /** The process has exited and its pipes are empty. A grandchild may keep them open. */
  readonly drained: Promise<void>;
  stderrTail(): readonly string[];
  /** By `performance.now()`; 0 without output. */
  readonly lastStderrAt: number;
  /** Joins a stop in progress. */
  stop(options: { shutdownTimeoutMs: number }): Promise<void>;
  /** Sends SIGKILL to the whole group. A stop in progress ends with it. */
  kill(): void;
}

/** @throws {ManagerError} `command-not-found`, `command-not-executable`, `directory-not-found` or `spawn-failed`. */
export async function spawnServer(request: SpawnRequest): Promise<ServerProcess> {
  const child = startChild(request);
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
  child.on('error', () => undefined);
  if (!group) throw new Error('unreachable: a process that was started has an id');
  return serverProcess(child, { group, exited, drained, tail, request });
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Without free file descriptors the process has no pipes, despite its type. */
function watchPipes(child: Partial<Pick<Child, 'stdin' | 'stdout' | 'stderr'>>, tail: StderrTail): void {
  child.stderr?.on('data', (chunk: Buffer) => tail.write(chunk));
  child.stderr?.once('end', () => tail.end());
  // The exit reports the death of a server; a broken pipe must only not crash this process.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', () => undefined);
}

/** Receives only the child: its listeners must not retain a large environment. */
function refusalOf(child: Child): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(undefined));
    child.once('error', resolve);
  });
}

function startChild(request: SpawnRequest): Child {
  const { cwd, environment, watch } = request;
  refuseNul(request);
  const launch = launchOf(request);
  watch?.starting();
  let child: Child | undefined;
  try {
    const options: SpawnOptions = {
      cwd,
      env: { ...windowsVariables, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: launch.isVerbatim,
    };
    requireDescriptors(spawnDescriptors);
    child = spawn(launch.file, [...launch.args], options) as Child;
  } catch (error) {
    throw explained(error as NodeJS.ErrnoException, request);
  } finally {
    if (child?.pid === undefined) watch?.notStarted();
    else watch?.started(child.pid);
  }
  return child;
}

/** Node's own error would quote the text, and so perhaps a secret. */
function refuseNul({ server, command, args, cwd = '', environment }: SpawnRequest): void {
  const texts = { command, cwd, ...prefixed('args', args), ...prefixed('env', environment) };
  const [field] = Object.entries(texts).find(([, text]) => text?.includes('\0')) ?? [];
  if (field === undefined) return;
  const cause = Object.assign(new Error(`${field} contains a NUL character`), { code: 'ERR_INVALID_ARG_VALUE' });
  const message = `Server "${server}" cannot start: "${field}" contains a NUL character, which no system accepts. Remove it.`;
  throw new ManagerError('spawn-failed', message, { server, cause });
}

function prefixed(prefix: string, values: object): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [`${prefix}.${key}`, value]));
}

type Launch = Exclude<WindowsLaunch, { refusal: string }>;

/** POSIX searches PATH itself. Windows would search the current directory first, so this resolves the file. */
function launchOf(request: SpawnRequest): Launch {
  const { server, command, args } = request;
  if (process.platform !== 'win32') return { file: command, args, isVerbatim: false };
  const found = resolveCommand(request);
  if (found.status !== 'found') {
    throw spawnError(Object.assign(new Error(`spawn ${command} ENOENT`), { code: 'ENOENT' }), request, found);
  }
  const launch = windowsLaunch({ file: found.file, args }, windowsHost(request));
  if (!('refusal' in launch)) return launch;
  throw new ManagerError(
    'spawn-failed',
    `Server "${server}" cannot start: "${found.file}" was not run, because ${launch.refusal}. Set "command" to the program that it runs, such as node with the script.`,
    { server },
  );
}

function windowsHost(request: SpawnRequest): WindowsSystem {
  const systemRoot = request.inherited.SystemRoot ?? request.inherited.SYSTEMROOT ?? 'C:\\Windows';
  const node = resolveCommand({ ...request, command: 'node.exe' });
  return {
    commandInterpreter: win32.join(systemRoot, 'System32', 'cmd.exe'),
    node: node.status === 'found' ? node.file : undefined,
    isFile: (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false,
  };
}

function explained(error: NodeJS.ErrnoException, request: SpawnRequest): ManagerError {
  delete (error as { spawnargs?: unknown }).spawnargs; // may contain secrets
  return spawnError(error, request, resolveCommand(request));
}

interface Spawned extends Pick<ServerProcess, 'exited' | 'drained'> {
  readonly group: ProcessGroup;
  readonly tail: StderrTail;
  readonly request: SpawnRequest;
}

function serverProcess(child: Child, { group, exited, drained, tail, request }: Spawned): ServerProcess {
  const pid = child.pid as number;
  const { server, watch } = request;
  let stopping: Promise<void> | undefined;

  async function stop(shutdownTimeoutMs: number): Promise<void> {
    const isGone = await stopProcess({ group, exited, endStdin: () => child.stdin.end() }, { shutdownTimeoutMs });
    // A grandchild that keeps the pipes open must not keep this process alive.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    child.unref();
    if (isGone) return watch?.gone();
    watch?.stuck?.(pid, group);
    const message = `Server "${server}" cannot be stopped: its process ${pid} still runs after SIGKILL. It usually waits for a disk or a network file system.`;
    throw new ManagerError('stop-failed', message, { server });
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
    kill: () => group.signal('SIGKILL'),
  };
}
