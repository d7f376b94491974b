import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { platform } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { codeOf } from '@x/internal/files';
import { CommandError, type ExitCode, exitCodes, type Io } from '../command.js';
import { printableLine } from '../output/print.js';

/** Time for a program to end after its stdin, and after SIGTERM, in milliseconds. */
const graceMs = 5_000;

/**
 * Runs a server over stdio. Ends with its client or the program.
 *
 * @param connect - Connects the streams of the program with those of the client.
 * @throws {CommandError} The program cannot be started, or has ended with a failure while the client was there.
 */
export async function runProgram(
  [command = '', ...args]: readonly string[],
  connect: (program: { readonly stdin: Writable; readonly stdout: Readable }) => void,
  { cwd, env, stdin, signal }: Io,
): Promise<ExitCode> {
  const shown = printableLine(command, 200);
  const child = start(command, args, {
    cwd,
    env: { ...env } as NodeJS.ProcessEnv,
    stdio: ['pipe', 'pipe', 'inherit'] as const,
  });
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  await Promise.race([once(child, 'spawn'), ended]).catch((cause: unknown) => {
    ended.catch(() => undefined);
    throw new CommandError(exitCodes.startFailed, `"${shown}" cannot be started: ${codeOf(cause) ?? 'unknown'}.`, {
      hint: 'Name a server of the config, or a program with its arguments, after "--".',
      cause,
    });
  });
  child.stdin.on('error', () => undefined); // the program may be gone
  connect(child);
  let isLeaving = false;
  const timers: NodeJS.Timeout[] = [];
  const leave = (): void => {
    if (isLeaving) return;
    isLeaving = true;
    child.stdin.end();
    timers.push(
      setTimeout(() => child.kill('SIGTERM'), graceMs),
      setTimeout(() => child.kill('SIGKILL'), 2 * graceMs),
    );
  };
  stdin.once('end', leave);
  signal.addEventListener('abort', leave, { once: true });
  const [code, killedBy] = await ended;
  signal.removeEventListener('abort', leave);
  for (const timer of timers) clearTimeout(timer);
  if (signal.aborted) return exitCodes.interrupted;
  if (isLeaving || code === 0) return exitCodes.ok;
  throw new CommandError(exitCodes.failed, `"${shown}" ended with ${killedBy ?? code}.`);
}

function start(
  command: string,
  args: readonly string[],
  options: Parameters<typeof spawn>[2],
): ChildProcess & {
  readonly stdin: Writable;
  readonly stdout: Readable;
} {
  // Programs of npm are batch files on Windows, which need its shell.
  const line = [command, ...args].map((word) => `"${word}"`).join(' ');
  const child = platform() === 'win32' ? spawn(line, { ...options, shell: true }) : spawn(command, [...args], options);
  return child as ReturnType<typeof start>; // `stdio` has two pipes
}
